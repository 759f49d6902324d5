import {
  jsonFormat,
  StatusError,
  type Format,
  type Frame,
  type FrameBatch,
  type KubernetesObject,
  type ListMeta,
  type Splitter,
} from '@keelson/apimachinery';
import { validStatus } from '../../http/error-response.ts';
import type { HttpResponse } from '../../http/http-response.ts';
import type { TransportRequest } from '../../http/transport-request.ts';
import type { Transport } from '../../http/transport.ts';

const none: readonly Frame[] = [];

/** Yields one list response as frames. The last batch contains the metadata of the list. */
export async function* listFrames(
  transport: Transport,
  request: TransportRequest,
): AsyncGenerator<FrameBatch, void, undefined> {
  yield* splitList(await transport.open(request));
}

/** Yields the frames of a list response that has already arrived. */
export async function* splitList(
  response: HttpResponse,
): AsyncGenerator<FrameBatch, void, undefined> {
  const splitter = formatOf(response).listSplitter();
  let count = 0;
  for await (const chunk of response.chunks()) {
    const batch = { frames: splitter.push(chunk), receivedAt: performance.now() };
    refuseOthers(response, splitter.kind);
    count += batch.frames.length;
    yield batch;
  }
  splitter.end();
  refuseOthers(response, splitter.kind);
  const { kind, metadata } = splitter;
  if (count === 0 && kind === undefined && metadata === undefined) throw response.unexpected();
  const listMetadata: ListMeta = metadata ?? {};
  yield { frames: none, receivedAt: performance.now(), listMetadata };
}

/** Yields one watch response as frames. The first batch is empty and reports that the watch is open. */
export async function* watchFrames(
  transport: Transport,
  request: TransportRequest,
): AsyncGenerator<FrameBatch, void, undefined> {
  const response = await transport.open(request);
  const format = formatOf(response);
  yield { frames: none, receivedAt: performance.now() };
  yield* splitEvents(request, response, format.watchSplitter());
}

async function* splitEvents(
  request: TransportRequest,
  response: HttpResponse,
  splitter: Splitter,
): AsyncGenerator<FrameBatch, void, undefined> {
  let opening = true;
  for await (const chunk of response.chunks()) {
    const frames = splitter.push(chunk);
    if (opening && frames[0] !== undefined) {
      checkOpening(request, response, frames[0]);
      opening = false;
    }
    yield { frames, receivedAt: performance.now() };
  }
  splitter.end();
}

/** Returns the error of an ERROR frame. */
export function statusOfFrame(frame: Frame, { method, path }: TransportRequest): StatusError {
  const sent = decoded(frame);
  const status = typeof sent === 'object' && sent !== null ? validStatus(sent) : {};
  return new StatusError(status, { method, path });
}

/** Parses the object of a frame. */
export function decoded({ format, buffer, from, to, object }: Frame): unknown {
  return format === undefined ? object : format.decode(buffer, from, to);
}

/**
 * Checks the first frame of a watch. A stream that starts with an ERROR was never open, and the client never
 * requests Tables.
 */
function checkOpening(request: TransportRequest, response: HttpResponse, frame: Frame): void {
  if (frame.type === 'ERROR') throw statusOfFrame(frame, request);
  refuseOthers(response, (decoded(frame) as KubernetesObject | undefined)?.kind);
}

/** Refuses a Table, which servers send only to kubectl, and a Status instead of a list. */
function refuseOthers(response: HttpResponse, kind: string | undefined): void {
  if (kind === 'Table' || kind === 'Status') throw response.unexpected({ kind });
}

function formatOf(response: HttpResponse): Format {
  if (response.contentType.split(';', 1)[0]?.trim() === jsonFormat.mediaType) return jsonFormat;
  throw response.unexpected();
}
