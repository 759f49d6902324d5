/** Larger files and responses are refused. The largest public bundle of definitions has some 5 MB. */
const MAX_SOURCE_BYTES = 32 * 1024 * 1024;

/** Reads a text of at most 32 MiB. A stream that is longer, or endless, is closed at the limit. */
export async function boundedText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const kept: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.byteLength;
    if (size > MAX_SOURCE_BYTES) throw new Error(`larger than ${MAX_SOURCE_BYTES} bytes`);
    kept.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(kept));
}
