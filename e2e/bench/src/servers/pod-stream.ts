import { podName, podNamespace, renderTypedPod } from './pod.ts';

/** The size of the chunks that a server writes to its socket, in bytes. */
const CHUNK = 256 * 1024;

/** Versions of listed pods are lower than this and versions of events higher, because a client may compare them. */
export const FIRST_EVENT_VERSION = 10_000_000;
export const LIST_VERSION: number = FIRST_EVENT_VERSION - 1;

/** The annotation that carries the microsecond at which an event was sent. */
export const SENT = 'bench/sent';
const NOT_YET = '0000000000000000';

/** Collects text into chunks for a socket, so that the whole body is never one buffer. */
export function chunksOf(parts: Iterable<string>): Buffer[] {
  return [...chunked(parts)];
}

/** The same chunks, each rendered when it is read. */
export function* chunked(parts: Iterable<string>): Iterable<Buffer> {
  let text = '';
  for (const part of parts) {
    text += part;
    if (text.length < CHUNK) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text.length > 0) yield Buffer.from(text);
}

export function* podList(
  pods: number,
  version: number,
  pod: (index: number) => string,
): Iterable<string> {
  yield `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"${String(version)}"},"items":[`;
  for (let index = 0; index < pods; index++) yield (index === 0 ? '' : ',') + pod(index);
  yield ']}\n';
}

/** The list as a WatchList sends it: every pod, then the bookmark that ends the initial state. */
export function* initialEvents(pods: number): Iterable<string> {
  for (let index = 0; index < pods; index++) yield event('ADDED', index, 1 + index);
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  const metadata = { resourceVersion: String(LIST_VERSION), creationTimestamp: null, annotations };
  yield `${JSON.stringify({ type: 'BOOKMARK', object: { kind: 'Pod', apiVersion: 'v1', metadata } })}\n`;
}

/** Yields `count` events that change the pods in turn. */
export function* updates(count: number, pods: number): Iterable<string> {
  for (let i = 0; i < count; i++) yield event('MODIFIED', i % pods, FIRST_EVENT_VERSION + i);
}

export function event(type: string, index: number, version: number): string {
  return `{"type":"${type}","object":${renderTypedPod(index, version)}}\n`;
}

/** Renders an event as an HTTP chunk, with room for its send time, which `stamp` writes. */
export function stampable(index: number, version: number): { bytes: Buffer; stampAt: number } {
  const text = event('MODIFIED', index, version);
  const line = text.replace('"annotations":{', `$&${JSON.stringify(SENT)}:"${NOT_YET}",`);
  const length = Buffer.byteLength(line).toString(16);
  const bytes = Buffer.from(`${length}\r\n${line}\r\n`);
  return { bytes, stampAt: bytes.indexOf(NOT_YET) };
}

export function stamp(line: { bytes: Buffer; stampAt: number }): Buffer {
  line.bytes.write(String(microseconds()).padStart(NOT_YET.length, '0'), line.stampAt, 'latin1');
  return line.bytes;
}

/** The monotonic clock that all processes of a machine share, in microseconds. */
export function microseconds(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

export function podPath(index: number): string {
  return `/api/v1/namespaces/${podNamespace(index)}/pods/${podName(index)}`;
}

export const PODS_PATH = '/api/v1/pods';
