import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { writeHead } from '../http/response.ts';
import { MIN_COMPRESSED_BYTES, GZIP_LEVEL } from '../http/compression.ts';
import type { Presentation } from '../presentation/presentation.ts';
import type { ListPage } from './list-page.ts';

/** Items are batched into writes of about this size. */
const CHUNK_BYTES = 256 * 1024;

export interface ListResponseOptions {
  readonly acceptsGzip: boolean;
  /** Awaited before every write, to slow down the list. */
  pace?(): Promise<void>;
}

/** Sends a page by copying the bytes of its objects, without a string of the whole list. */
export async function sendList(
  response: ServerResponse,
  presentation: Presentation,
  page: ListPage,
  options: ListResponseOptions,
): Promise<void> {
  const chunks = chunksOf(presentation, page);
  const [first, second] = [chunks.next(), chunks.next()];
  if (first.done === true) return;
  if (second.done === true && options.pace === undefined && !compresses(first.value, options)) {
    writeHead(response, 200, { length: first.value.length });
    response.end(first.value);
    return;
  }
  const rest = second.done === true ? [] : [second.value];
  await writeChunks(response, joined([first.value, ...rest], chunks), options);
}

function compresses(chunk: Buffer, { acceptsGzip }: ListResponseOptions): boolean {
  return acceptsGzip && chunk.length >= MIN_COMPRESSED_BYTES;
}

async function writeChunks(
  response: ServerResponse,
  chunks: Iterable<Buffer>,
  options: ListResponseOptions,
): Promise<void> {
  const sink = openSink(response, options);
  for (const chunk of chunks) {
    await options.pace?.();
    if (response.destroyed) return;
    if (!sink.write(chunk)) await drained(sink, response);
  }
  sink.end();
}

function openSink(response: ServerResponse, { acceptsGzip }: ListResponseOptions): Writable {
  writeHead(response, 200, {
    headers: { Vary: 'Accept-Encoding', ...(acceptsGzip && { 'Content-Encoding': 'gzip' }) },
  });
  if (!acceptsGzip) return response;
  const gzip = createGzip({ level: GZIP_LEVEL });
  gzip.pipe(response);
  return gzip;
}

async function drained(sink: Writable, response: ServerResponse): Promise<void> {
  if (response.destroyed) return;
  const stop = new AbortController();
  const { signal } = stop;
  try {
    await Promise.race([once(sink, 'drain', { signal }), once(response, 'close', { signal })]);
  } finally {
    stop.abort();
  }
}

function* joined(first: readonly Buffer[], rest: Iterable<Buffer>): Generator<Buffer> {
  yield* first;
  yield* rest;
}

const comma = Buffer.from(',');

function* chunksOf(presentation: Presentation, page: ListPage): Generator<Buffer> {
  if (page.objects.length === 0 && presentation.empty) {
    yield Buffer.from(presentation.empty(page.metadata));
    return;
  }
  const [head, tail] = presentation.list(page.metadata);
  let parts: Buffer[] = [Buffer.from(head)];
  let length = 0;
  let separates = false;
  for (const object of page.objects) {
    if (separates) parts.push(comma);
    separates = true;
    const item = presentation.item(object);
    parts.push(item);
    length += item.length;
    if (length < CHUNK_BYTES) continue;
    yield Buffer.concat(parts);
    parts = [];
    length = 0;
  }
  parts.push(Buffer.from(tail));
  yield Buffer.concat(parts);
}
