/**
 * Processes a chunk, which is valid until it returns. Returns a promise if it needs more time; the chunk then stays valid
 * until the promise settles.
 */
export type ChunkConsumer = (chunk: Uint8Array) => Promise<void> | undefined;

/** The body of a response, for one reader: one that waits for each chunk, or one to which they are passed. */
export interface ResponseBody {
  /**
   * Returns the next chunk if it has arrived, `undefined` at the end, and otherwise a promise of them. Rejects if the body
   * is cut off.
   */
  next(): Uint8Array | undefined | Promise<Uint8Array | undefined>;
  /**
   * Passes each chunk to `consume` in the call in which it arrives, or when the promise of the last one has resolved.
   * Resolves at the end. Rejects if the body is cut off, or with the error of `consume`, which destroys the body.
   */
  passTo(consume: ChunkConsumer): Promise<void>;
  /** Discards the rest. Ends the request and closes its connection, unless the body has arrived completely. */
  destroy(reason?: Error): void;
}

/** Yields the chunks of a body. Destroys the body at the end, also if the caller stops earlier. */
export async function* chunksOf(body: ResponseBody): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for (;;) {
      const next = body.next();
      const chunk = next instanceof Promise ? await next : next;
      if (chunk === undefined) return;
      yield chunk;
    }
  } finally {
    body.destroy();
  }
}
