/** The body of a response, for one reader. */
export interface ResponseBody {
  /** Returns the next chunk if it has arrived, otherwise `undefined`. */
  take(): Uint8Array | undefined;
  /** Resolves with the next chunk, or with `undefined` at the end. Rejects if the body is cut off. */
  next(): Promise<Uint8Array | undefined>;
  /** Discards the rest. Ends the request and closes its connection, unless the body has arrived completely. */
  destroy(reason?: Error): void;
}

/** Yields the chunks of a body. Destroys the body at the end, also if the caller stops earlier. */
export async function* chunksOf(body: ResponseBody): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for (;;) {
      const chunk = body.take() ?? (await body.next());
      if (chunk === undefined) return;
      yield chunk;
    }
  } finally {
    body.destroy();
  }
}
