import { Readable } from 'node:stream';

/**
 * One stream of server-sent events to a reader. A sender asks `isReady` before each message and leaves out what a slow
 * reader would have to buffer.
 */
export class EventChannel extends Readable {
  readonly #onClose: () => void;
  #isReady = true;

  constructor(onClose: () => void) {
    super();
    this.#onClose = onClose;
  }

  /** True if the reader has taken the earlier messages. */
  get isReady(): boolean {
    return this.#isReady && !this.destroyed;
  }

  /** Sends JSON as a message. */
  send(json: string): void {
    this.#isReady = this.push(`data: ${json}\n\n`);
  }

  /** Sends a line that readers ignore, so that they know that the stream is alive. */
  beat(): void {
    this.#isReady = this.push(':\n\n');
  }

  /** Ends the stream. */
  end(): void {
    if (!this.destroyed) this.push(null);
  }

  override _read(): void {
    this.#isReady = true;
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#onClose();
    callback(error);
  }
}
