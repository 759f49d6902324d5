import type { Socket } from 'node:net';
import { within } from './within.ts';

const PIECE_BYTES = 256;
const PIECE_INTERVAL_MS = 10;

/** Connections whose responses arrive byte by byte. Disposing of it sends all held bytes. */
export class Trickle implements Disposable {
  readonly #held = new Map<Socket, Buffer>();
  readonly #waiting = new Set<() => void>();
  readonly #timer: NodeJS.Timeout;
  readonly #onEnd: () => void;
  #isOver = false;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
    this.#timer = setInterval(() => this.#drip(), PIECE_INTERVAL_MS);
  }

  /** Forwards the data of one socket to another, byte by byte. */
  join(from: Socket, into: Socket): void {
    this.#held.set(into, Buffer.alloc(0));
    from.on('data', (chunk: Buffer) => {
      if (this.#isOver) {
        into.write(chunk);
        return;
      }
      this.#held.set(into, Buffer.concat([this.#held.get(into) ?? Buffer.alloc(0), chunk]));
      for (const check of this.#waiting) check();
    });
    into.on('close', () => this.#held.delete(into));
  }

  /** Resolves when a connection holds this number of bytes, so that its response has started. */
  holding(bytes: number): Promise<void> {
    const wait = (signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        const check = (): void => {
          const isHeld = [...this.#held.values()].some((data) => data.length >= bytes);
          if (!isHeld && !signal.aborted) return;
          this.#waiting.delete(check);
          resolve();
        };
        this.#waiting.add(check);
        signal.addEventListener('abort', check);
        check();
      });
    return within(() => `${bytes} bytes of a response`, wait);
  }

  [Symbol.dispose](): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#timer);
    for (const [into, data] of this.#held) into.write(data);
    this.#held.clear();
    this.#onEnd();
  }

  #drip(): void {
    for (const [into, data] of this.#held) {
      if (data.length === 0) continue;
      into.write(data.subarray(0, PIECE_BYTES));
      this.#held.set(into, data.subarray(PIECE_BYTES));
    }
  }
}
