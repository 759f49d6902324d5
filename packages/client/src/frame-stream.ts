import {
  jsonFormat,
  StatusError,
  type Format,
  type Frame,
  type FrameBatch,
  type KubernetesObject,
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
  for await (const chunk of bodyChunks(transport, request, response)) {
    const batch = { frames: splitter.push(chunk), receivedAt: performance.now() };
    refuseOthers(request, splitter.kind);
    yield batch;
  }
  splitter.end();
  refuseOthers(request, splitter.kind);
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
  refuseOthers(request, (decoded(frame) as KubernetesObject | undefined)?.kind);
}

/** A Table is what the server makes for kubectl; a Status instead of a list is no list. */
function refuseOthers(request: TransportRequest, kind: string | undefined): void {
  if (kind === 'Table' || kind === 'Status') throw unexpected(request, { kind });
}

function formatOf(request: TransportRequest, response: TransportResponse): Format {
  const contentType = contentTypeOf(response);
  if (contentType.split(';', 1)[0]?.trim() === jsonFormat.mediaType) return jsonFormat;
  // A body that is given up fails with an error, which ends the process where nobody listens for it.
  response.body.on('error', () => undefined).destroy();
  throw unexpected(request, { contentType });
}
