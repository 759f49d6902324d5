import {
  jsonFormat,
  StatusError,
  type Format,
  type Frame,
  type FrameBatch,
  type ListMeta,
  type Splitter,
  type Status,
} from '@keelson/apimachinery';
import { bodyChunks } from './body-chunks.ts';
import { contentTypeOf, unexpected } from './json-body.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

const none: readonly Frame[] = [];

/** One list response as frames; the last batch has the list's metadata. */
export async function* listFrames(
  transport: Transport,
  request: TransportRequest,
): AsyncGenerator<FrameBatch, void, undefined> {
  const response = await transport.send(request);
  const splitter = formatOf(request, response).listSplitter();
  let first = true;
  for await (const chunk of bodyChunks(transport, request, response)) {
    if (first) refuseTable(request, chunk);
    first = false;
    yield { frames: splitter.push(chunk), receivedAt: performance.now() };
  }
  splitter.end();
  const listMetadata: ListMeta = splitter.metadata ?? {};
  yield { frames: none, receivedAt: performance.now(), listMetadata };
}

/** One watch response as frames; an empty batch when it has opened. */
export async function* watchFrames(
  transport: Transport,
  request: TransportRequest,
): AsyncGenerator<FrameBatch, void, undefined> {
  const response = await transport.send(request);
  const format = formatOf(request, response);
  yield { frames: none, receivedAt: performance.now() };
  yield* splitEvents(transport, request, response, format.watchSplitter());
}

async function* splitEvents(
  transport: Transport,
  request: TransportRequest,
  response: TransportResponse,
  splitter: Splitter,
): AsyncGenerator<FrameBatch, void, undefined> {
  let opening = true;
  for await (const chunk of bodyChunks(transport, request, response)) {
    const frames = splitter.push(chunk);
    if (opening && frames[0] !== undefined) {
      checkOpening(request, frames[0]);
      opening = false;
    }
    yield { frames, receivedAt: performance.now() };
  }
  splitter.end();
}

/** What an ERROR frame says. */
export function statusOfFrame(frame: Frame, { method, path }: TransportRequest): StatusError {
  return new StatusError(decoded(frame) as Status, { method, path });
}

/** The object of a frame, parsed. */
export function decoded({ format, buffer, from, to, object }: Frame): unknown {
  return format === undefined ? object : format.decode(buffer, from, to);
}

/** A stream whose first word is an error never was a watch; and no watch of ours is one of Tables. */
function checkOpening(request: TransportRequest, frame: Frame): void {
  if (frame.type === 'ERROR') throw statusOfFrame(frame, request);
  const { format, buffer, from, to } = frame;
  if (format === undefined) return;
  if (kindAtStart(buffer.subarray(from, to)) === 'Table') throw table(request);
}

function refuseTable(request: TransportRequest, chunk: Uint8Array): void {
  if (kindAtStart(chunk) === 'Table') throw table(request);
}

/** The `kind` within the first bytes: the API server writes it first. */
function kindAtStart(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 256));
  return /^\s*\{\s*"kind"\s*:\s*"(\w+)"/.exec(start.toString('latin1'))?.[1];
}

function table(request: TransportRequest): Error {
  return unexpected(request, { kind: 'Table' });
}

function formatOf(request: TransportRequest, response: TransportResponse): Format {
  const contentType = contentTypeOf(response);
  if (contentType.split(';', 1)[0]?.trim() === jsonFormat.mediaType) return jsonFormat;
  response.body.destroy();
  throw unexpected(request, { contentType });
}
