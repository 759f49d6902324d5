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
import { soundStatus } from '../../http/error-answer.ts';
import type { HttpResponse } from '../../http/http-response.ts';
import type { TransportRequest } from '../../http/transport-request.ts';
import type { Transport } from '../../http/transport.ts';

const none: readonly Frame[] = [];

/** One list response as frames; the last batch has the list's metadata. */
export async function* listFrames(
  transport: Transport,
  request: TransportRequest,
): AsyncGenerator<FrameBatch, void, undefined> {
  yield* splitList(await transport.open(request));
}

/** The same from a response that has arrived. */
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

/** One watch response as frames; an empty batch when it has opened. */
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

/** The error of an ERROR frame. */
export function statusOfFrame(frame: Frame, { method, path }: TransportRequest): StatusError {
  const sent = decoded(frame);
  const status = typeof sent === 'object' && sent !== null ? soundStatus(sent) : {};
  return new StatusError(status, { method, path });
}

/** The object of a frame, parsed. */
export function decoded({ format, buffer, from, to, object }: Frame): unknown {
  return format === undefined ? object : format.decode(buffer, from, to);
}

/** A stream that begins with an error never was a watch; and no watch of ours asks for Tables. */
function checkOpening(request: TransportRequest, response: HttpResponse, frame: Frame): void {
  if (frame.type === 'ERROR') throw statusOfFrame(frame, request);
  refuseOthers(response, (decoded(frame) as KubernetesObject | undefined)?.kind);
}

/** A Table is what the server makes for kubectl; a Status instead of a list is no list. */
function refuseOthers(response: HttpResponse, kind: string | undefined): void {
  if (kind === 'Table' || kind === 'Status') throw response.unexpected({ kind });
}

function formatOf(response: HttpResponse): Format {
  if (response.contentType.split(';', 1)[0]?.trim() === jsonFormat.mediaType) return jsonFormat;
  throw response.unexpected();
}
