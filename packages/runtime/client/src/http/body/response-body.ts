/** The body of a response, for one reader. */
export interface ResponseBody {
  /**
   * Returns the next chunk if it has arrived, `undefined` at the end, and otherwise a promise of them. Rejects if the body
   * is cut off.
   */
  next(): Uint8Array | undefined | Promise<Uint8Array | undefined>;
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
