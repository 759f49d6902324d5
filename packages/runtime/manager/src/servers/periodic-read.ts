import type { Logger } from '../logging/logger.ts';

/** A value that is read from files, and how its changes are reported. */
export interface PeriodicReadOptions<Value> {
  /** The name of the server, for logs. */
  readonly server: string;
  readonly log: Logger;
  readonly read: () => Promise<Value>;
  readonly isSame: (value: Value, other: Value) => boolean;
  /** The messages about a changed value, and about a failed read. */
  readonly messages: { readonly changed: string; readonly failed: string };
}

/** Milliseconds between two reads, as in the certwatcher of controller-runtime. */
const READ_INTERVAL_MS = 10_000;

/**
 * Reads files at the start and again periodically. They are not watched by inotify: a read follows renames, symlinks and
 * the mounted Secrets of the kubelet alike, and needs no inotify instance, of which a node has few. After a failed read
 * the former value stays.
 */
export class PeriodicRead<Value> {
  readonly #options: PeriodicReadOptions<Value>;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  /** The text of the last failure, which is logged once. */
  #failure: string | undefined;

  constructor(options: PeriodicReadOptions<Value>) {
    this.#options = options;
  }

  /** Calls `use` before it resolves, and again after each change. Rejects if the first read does. */
  async start(use: (value: Value) => void): Promise<void> {
    const value = await this.#options.read();
    if (this.#stopped) return;
    use(value);
    this.#readLater(value, use);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #readLater(current: Value, use: (value: Value) => void): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => void this.#readAgain(current, use), READ_INTERVAL_MS);
  }

  async #readAgain(current: Value, use: (value: Value) => void): Promise<void> {
    const { server, log, messages, read, isSame } = this.#options;
    let next = current;
    try {
      const value = await read();
      this.#failure = undefined;
      if (!this.#stopped && !isSame(value, current)) {
        use(value);
        next = value;
        log.info({ server }, messages.changed);
      }
    } catch (error) {
      const failure = (error as Error).message;
      if (failure !== this.#failure) log.error({ server, err: error }, messages.failed);
      this.#failure = failure;
    }
    this.#readLater(next, use);
  }
}
