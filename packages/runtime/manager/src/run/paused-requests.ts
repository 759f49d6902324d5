/** The requests of a controller that do not run until they are resumed. */
export class PausedRequests {
  /** By key: queues the request again; `undefined` if it was not due meanwhile. */
  readonly #byKey = new Map<string, (() => void) | undefined>();

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  pause(key: string): void {
    if (!this.#byKey.has(key)) this.#byKey.set(key, undefined);
  }

  /** Keeps a request that is due, if it is paused. Returns false for one that may run. */
  keeps(key: string, again: () => void): boolean {
    if (!this.#byKey.has(key)) return false;
    this.#byKey.set(key, again);
    return true;
  }

  /** Resumes a request, and queues it if it was due. */
  resume(key: string): void {
    const again = this.#byKey.get(key);
    this.#byKey.delete(key);
    again?.();
  }
}
