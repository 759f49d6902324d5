import type { ChunkConsumer, ResponseBody } from './response-body.ts';

/** The source of the chunks of a queue. */
export interface ChunkSource {
  pause(): void;
  /** May push chunks before it returns. */
  resume(): void;
  abort(reason: Error): void;
}

/** The number of unread bytes above which the queue pauses its source. */
const PAUSE_ABOVE_BYTES = 128 * 1024;

/** The reader to which the chunks are passed. */
interface Consumer {
  readonly consume: ChunkConsumer;
  readonly end: PromiseWithResolvers<void>;
}

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
  #consumer: Consumer | undefined;
  /** True while the consumer has a chunk, so that further ones wait. */
  #isConsuming = false;

  constructor(source: ChunkSource) {
    this.#source = source;
  }

  /** Adds a chunk, which must not change afterwards. */
  push(chunk: Uint8Array): void {
    if (this.#isComplete) return;
    if (this.#consumer !== undefined && !this.#isConsuming) {
      this.#pass(chunk, this.#consumer);
      // The consumer may have destroyed the body.
      if (this.#isComplete) this.#passQueued(this.#consumer);
      return;
    }
    const reader = this.#reader;
    if (reader !== undefined) {
      this.#reader = undefined;
      reader.resolve(chunk);
      return;
    }
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > PAUSE_ABOVE_BYTES) this.#pause();
  }

  /**
   * Adds a chunk whose memory the source uses for the next one. The queue pauses the source until the consumer has
   * processed the chunk, and copies it for any other reader.
   */
  lend(chunk: Uint8Array): void {
    const consumer = this.#consumer;
    if (consumer === undefined || this.#isConsuming) return this.push(Buffer.from(chunk));
    this.#pass(chunk, consumer);
    if (this.#isConsuming) this.#pause();
    else if (this.#isComplete) this.#passQueued(consumer);
    return undefined;
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
    const chunk = this.#take();
    if (chunk !== undefined) return chunk;
    if (this.#error !== undefined) return Promise.reject(this.#error);
    if (this.#isComplete) return undefined;
    this.#reader ??= Promise.withResolvers();
    return this.#reader.promise;
  }

  passTo(consume: ChunkConsumer): Promise<void> {
    const consumer: Consumer = { consume, end: Promise.withResolvers() };
    this.#consumer = consumer;
    this.#passQueued(consumer);
    return consumer.end.promise;
  }

  destroy(reason: Error = new Error('the body was discarded')): void {
    this.#chunks.length = 0;
    this.#bytes = 0;
    if (this.#isComplete) return;
    this.#complete(reason);
    this.#source.abort(reason);
  }

  #pass(chunk: Uint8Array, consumer: Consumer): void {
    this.#isConsuming = true;
    let pending: Promise<void> | undefined;
    try {
      pending = consumer.consume(chunk);
    } catch (error) {
      return this.#refused(error, consumer);
    }
    if (pending !== undefined) return void this.#passAfter(pending, consumer);
    this.#isConsuming = false;
    return undefined;
  }

  async #passAfter(pending: Promise<void>, consumer: Consumer): Promise<void> {
    try {
      await pending;
    } catch (error) {
      return this.#refused(error, consumer);
    }
    this.#isConsuming = false;
    this.#resume();
    return this.#passQueued(consumer);
  }

  /** Passes the chunks that wait, until the consumer needs time, and then the end of the body. */
  #passQueued(consumer: Consumer): void {
    while (!this.#isConsuming && this.#chunks.length > 0) {
      // The source may push chunks when it resumes; they follow this one.
      this.#isConsuming = true;
      const chunk = this.#take() as Uint8Array;
      this.#pass(chunk, consumer);
    }
    if (this.#isConsuming || !this.#isComplete) return;
    if (this.#error === undefined) consumer.end.resolve();
    else consumer.end.reject(this.#error);
  }

  /** Ends the body with the error of the consumer, to which no chunk is passed any more. */
  #refused(error: unknown, consumer: Consumer): void {
    consumer.end.reject(error);
    this.destroy();
  }

  #pause(): void {
    if (this.#isPaused || this.#isComplete) return;
    this.#isPaused = true;
    this.#source.pause();
  }

  #take(): Uint8Array | undefined {
    const chunk = this.#chunks.shift();
    if (chunk === undefined) return undefined;
    this.#bytes -= chunk.length;
    if (this.#isPaused) this.#resume();
    return chunk;
  }

  #resume(): void {
    if (!this.#isPaused || this.#isComplete || this.#bytes > 0) return;
    this.#isPaused = false;
    this.#source.resume();
  }

  #complete(error: Error | undefined): void {
    if (this.#isComplete) return;
    this.#isComplete = true;
    this.#error = error;
    if (this.#consumer !== undefined) return this.#passQueued(this.#consumer);
    const reader = this.#reader;
    this.#reader = undefined;
    if (error === undefined) reader?.resolve(undefined);
    else reader?.reject(error);
    return undefined;
  }
}
