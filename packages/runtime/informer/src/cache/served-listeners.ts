import { UserCode } from '../contract/user-code.ts';

/** A listener and the last value that it received. */
interface Entry {
  readonly isServed: () => boolean;
  readonly deliver: (isServed: boolean) => void;
  last: boolean;
}

/** Notifies listeners when the server begins or ends to serve a kind. */
export class ServedListeners {
  readonly #entries = new Set<Entry>();
  #isScheduled = false;

  /** Adds a listener, which runs in the async context of the caller. */
  add(
    isServed: () => boolean,
    listener: (isServed: boolean) => unknown,
    onError: (error: unknown) => void,
  ): Disposable {
    const userCode = new UserCode(onError);
    const deliver = (served: boolean): void => void userCode.call(listener, served);
    const entry: Entry = { isServed, deliver, last: false };
    this.#entries.add(entry);
    this.changed();
    return { [Symbol.dispose]: () => void this.#entries.delete(entry) };
  }

  /** Called after each change of a watch or a handle. Listeners run later, because the change may not have ended. */
  changed(): void {
    if (this.#entries.size === 0 || this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      for (const entry of this.#entries) check(entry);
    });
  }
}

function check(entry: Entry): void {
  const isServed = entry.isServed();
  if (isServed === entry.last) return;
  entry.last = isServed;
  entry.deliver(isServed);
}
