/**
 * A promise with methods that settle it. A rejection that no caller awaits is not an unhandled
 * rejection.
 */
export class Deferred {
  readonly promise: Promise<void>;
  #resolve: () => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.promise.catch(() => undefined);
  }

  resolve(): void {
    this.#resolve();
  }

  reject(error: Error): void {
    this.#reject(error);
  }
}
