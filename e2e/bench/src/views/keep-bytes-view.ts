import { Agent, type Dispatcher } from 'undici';
import type { LiveView, LiveViewOptions, SeenMetadata } from './live-view.ts';
import { PODS_PATH } from '../servers/pod-stream.ts';

interface Metadata extends SeenMetadata {
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
}

interface KeptPod {
  readonly resourceVersion: string;
  readonly bytes: Buffer;
}

/** Splits the complete pods off the bytes, and returns the position of the rest. */
type Split = (bytes: Buffer, keep: (from: number, to: number) => void) => number;

const ITEMS = Buffer.from('"items":[');
const METADATA = Buffer.from('{"name":');
const MANAGED_FIELDS = Buffer.from(',"managedFields":[');
const END_OF_METADATA = Buffer.from('},"spec":{');
const NEWLINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const BLOCK_BYTES = 1024 * 1024;

/**
 * Keeps each pod as bytes without `managedFields`, and parses only its metadata: the probe for caches that do not parse
 * objects. It has no store, indices, reconnects or checks, and accepts only pods in the form of kube-apiserver.
 */
export function keepBytesView(options: LiveViewOptions): LiveView {
  const url = options.tls ? options.server.tlsUrl : options.server.url;
  const dispatcher = new Agent({ bodyTimeout: 0, connect: { rejectUnauthorized: false } });
  const pods = new Map<string, KeptPod>();
  let block = Buffer.alloc(0);
  let used = 0;

  const keep = (bytes: Buffer, from: number, to: number): void => {
    const metadataFrom = bytes.indexOf(METADATA, from);
    const cutFrom = bytes.indexOf(MANAGED_FIELDS, metadataFrom);
    const cutTo = bytes.indexOf(END_OF_METADATA, cutFrom);
    const text = `${bytes.toString('utf8', metadataFrom, cutFrom)}}`;
    const metadata = JSON.parse(text) as Metadata;
    const { namespace, name, resourceVersion } = metadata;
    const key = `${namespace}/${name}`;
    if (pods.get(key)?.resourceVersion === resourceVersion) return;
    if (used + to - from > block.length) {
      block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
      used = 0;
    }
    const start = used;
    used += bytes.copy(block, used, from, cutFrom);
    used += bytes.copy(block, used, cutTo, to);
    pods.set(key, { resourceVersion, bytes: block.subarray(start, used) });
    for (let i = 0; i < options.handlers; i++) options.onEvent(metadata);
  };

  const read = (query: string, split: Split): Promise<void> => {
    let rest: Buffer = Buffer.alloc(0);
    const request = { origin: url, path: PODS_PATH + query, method: 'GET' } as const;
    return send(dispatcher, request, (chunk) => {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      rest = bytes.subarray(split(bytes, (from, to) => keep(bytes, from, to)));
    });
  };

  return {
    async start(): Promise<void> {
      await read('', listSplit());
      void read('?watch=1', splitLines);
    },
    size: () => pods.size,
  };
}

/** Reads a response without a stream: undici passes each chunk to the callback. */
function send(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  onChunk: (chunk: Buffer) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  dispatcher.dispatch(request, {
    onRequestStart: () => undefined,
    onResponseStart: () => undefined,
    onResponseData: (_controller, chunk) => onChunk(chunk),
    onResponseEnd: () => resolve(),
    onResponseError: (_controller, error) => reject(error),
  });
  return promise;
}

/** Each line of a watch is one event. */
const splitLines: Split = (bytes, keep) => {
  let from = 0;
  for (;;) {
    const newline = bytes.indexOf(NEWLINE, from);
    if (newline === -1) return from;
    // Without the brace of the event.
    keep(bytes.indexOf(OPEN, from + 1), newline - 1);
    from = newline + 1;
  }
};

/** The items of a list are one line, so every byte is read to find the end of an item. */
function listSplit(): Split {
  let isBegun = false;
  return (bytes, keep) => {
    let at = 0;
    if (!isBegun) at = bytes.indexOf(ITEMS) + ITEMS.length;
    isBegun = true;
    for (;;) {
      const from = bytes.indexOf(OPEN, at);
      const to = from === -1 ? -1 : endOf(bytes, from);
      if (to === -1) return from === -1 ? bytes.length : from;
      keep(from, to);
      at = to;
    }
  };
}

/** Returns the position after the object that begins at `at`, or -1 if the bytes end before it. */
function endOf(bytes: Buffer, at: number): number {
  let depth = 0;
  for (let i = at; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) {
      for (i++; i < bytes.length && bytes[i] !== QUOTE; i++) if (bytes[i] === BACKSLASH) i++;
    } else if (byte === OPEN || byte === OPEN_ARRAY) depth++;
    else if ((byte === CLOSE || byte === CLOSE_ARRAY) && --depth === 0) return i + 1;
  }
  return -1;
}
