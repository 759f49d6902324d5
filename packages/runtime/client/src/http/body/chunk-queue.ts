import type { ResponseBody } from './response-body.ts';

/** The source of the chunks of a queue. */
export interface ChunkSource {
  pause(): void;
  /** May push chunks before it returns. */
  resume(): void;
  abort(reason: Error): void;
}

/** Number of waiting bytes above which the source is paused. */
const PAUSE_ABOVE_BYTES = 128 * 1024;

/**
 * The chunks of a body between its source and its reader. A stream would do the same with more work for each chunk.
 * A reader that is slower than its source pauses it. Chunks that arrived before an error are read before it.
 */
export class ChunkQueue implements ResponseBody {
  readonly #source: ChunkSource;
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;
  #isPaused = false;
  /** The last chunk has arrived, or an error. */
  #isComplete = false;
  #error: Error | undefined;
  #reader: PromiseWithResolvers<Uint8Array | undefined> | undefined;

  constructor(source: ChunkSource) {
    this.#source = source;
  }

  push(chunk: Uint8Array): void {
    if (this.#isComplete) return;
    const reader = this.#reader;
    if (reader !== undefined) {
      this.#reader = undefined;
      reader.resolve(chunk);
      return;
    }
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes <= PAUSE_ABOVE_BYTES || this.#isPaused) return;
    this.#isPaused = true;
    this.#source.pause();
  }

  /** The body has arrived completely. */
  end(): void {
    this.#complete(undefined);
  }

  /** The body breaks off. */
  fail(error: Error): void {
    this.#complete(error);
  }

  take(): Uint8Array | undefined {
    const chunk = this.#chunks.shift();
    if (chunk === undefined) return undefined;
    this.#bytes -= chunk.length;
    if (this.#isPaused && this.#bytes === 0) {
      this.#isPaused = false;
      this.#source.resume();
    }
    return chunk;
  }

  next(): Promise<Uint8Array | undefined> {
    if (this.#chunks.length > 0) return Promise.resolve(this.take());
    if (this.#error !== undefined) return Promise.reject(this.#error);
    if (this.#isComplete) return Promise.resolve(undefined);
    this.#reader ??= Promise.withResolvers();
    return this.#reader.promise;
  }

  destroy(reason: Error = new Error('the body was discarded')): void {
    this.#chunks.length = 0;
    this.#bytes = 0;
    if (this.#isComplete) return;
    this.#complete(reason);
    this.#source.abort(reason);
  }

  #complete(error: Error | undefined): void {
    if (this.#isComplete) return;
    this.#isComplete = true;
    this.#error = error;
    const reader = this.#reader;
    this.#reader = undefined;
    if (error === undefined) reader?.resolve(undefined);
    else reader?.reject(error);
  }
}
