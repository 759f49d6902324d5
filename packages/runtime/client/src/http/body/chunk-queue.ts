import type { ResponseBody } from './response-body.ts';

/** The source of the chunks of a queue. */
export interface ChunkSource {
  pause(): void;
  /** May push chunks before it returns. */
  resume(): void;
  abort(reason: Error): void;
}

/** The number of unread bytes above which the queue pauses its source. */
const PAUSE_ABOVE_BYTES = 128 * 1024;

/**
 * Holds the chunks of a body between its source and its reader. It pauses the source while the reader is slower. The
 * reader receives the chunks that arrived before an error, then the error. A stream of Node.js would take more time for
 * each chunk.
 */
export class ChunkQueue implements ResponseBody {
  readonly #source: ChunkSource;
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;
  #isPaused = false;
  /** True after the last chunk or an error has arrived. */
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

  /** Records that the body has arrived completely. */
  end(): void {
    this.#complete(undefined);
  }

  /** Records that the body was cut off by an error. */
  fail(error: Error): void {
    this.#complete(error);
  }

  next(): Uint8Array | undefined | Promise<Uint8Array | undefined> {
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) {
      this.#bytes -= chunk.length;
      if (this.#isPaused && this.#bytes === 0) {
        this.#isPaused = false;
        this.#source.resume();
      }
      return chunk;
    }
    if (this.#error !== undefined) return Promise.reject(this.#error);
    if (this.#isComplete) return undefined;
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
