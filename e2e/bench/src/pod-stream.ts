import { podName, podNamespace, renderTypedPod } from './pod.ts';

/** The size in which a server hands bytes to its socket. */
const CHUNK = 256 * 1024;

/** Versions of listed pods lie below this, those of events above: a client may compare them. */
export const FIRST_EVENT_VERSION = 10_000_000;
export const LIST_VERSION: number = FIRST_EVENT_VERSION - 1;

/** The annotation that carries the microsecond at which an event was sent. */
export const SENT = 'bench/sent';
const NOT_YET = '0000000000000000';

/** Gathers text into chunks of bytes as a socket takes them; never one buffer of everything. */
export function chunksOf(parts: Iterable<string>): Buffer[] {
  const chunks: Buffer[] = [];
  let text = '';
  for (const part of parts) {
    text += part;
    if (text.length < CHUNK) continue;
    chunks.push(Buffer.from(text));
    text = '';
  }
  if (text.length > 0) chunks.push(Buffer.from(text));
  return chunks;
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

/** `count` new versions, of one pod after the other, round and round. */
export function* updates(count: number, pods: number): Iterable<string> {
  for (let i = 0; i < count; i++) yield event('MODIFIED', i % pods, FIRST_EVENT_VERSION + i);
}

export function event(type: string, index: number, version: number): string {
  return `{"type":"${type}","object":${renderTypedPod(index, version)}}\n`;
}

/** An event with room for the time of its sending, which `stamp` fills in; framed as an HTTP chunk. */
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

/** One clock for every process of a machine. */
export function microseconds(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

export function podPath(index: number): string {
  return `/api/v1/namespaces/${podNamespace(index)}/pods/${podName(index)}`;
}

export const PODS_PATH = '/api/v1/pods';
