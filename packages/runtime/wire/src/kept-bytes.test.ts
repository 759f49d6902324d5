import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Format, Splitter } from './frames/format.ts';
import { jsonFormat } from './json/json-format.ts';
import { collect, keeps, keptBy } from './kept-bytes.test-support.ts';
import { goFixture } from './protobuf/go-fixture.test-support.ts';
import { loadProtobufFormats } from './protobuf/load-protobuf-formats.ts';

let pods: Format;

beforeAll(async () => {
  const found = (await loadProtobufFormats()).find('v1', 'Pod');
  if (found === undefined) throw new Error('no format of pods');
  pods = found;
});

function scanned(format: Format, bytes: Buffer): ReturnType<Format['positions']> {
  const positions = format.positions();
  format.scan(bytes, 0, bytes.length, positions);
  return positions;
}

const uses: Readonly<Record<string, (format: Format, bytes: Buffer) => void>> = {
  scan: (format, bytes) => void scanned(format, bytes),
  identity: (format, bytes) => void format.identity(bytes, 0, bytes.length, scanned(format, bytes)),
  head: (format, bytes) => void format.head(bytes, 0, bytes.length, scanned(format, bytes)),
  metadata: (format, bytes) => void format.metadata(bytes, 0, bytes.length),
  cut(format, bytes) {
    const target = Buffer.alloc(bytes.length);
    format.cut(bytes, 0, bytes.length, scanned(format, bytes), target, 0);
  },
  decode: (format, bytes) => void format.decode(bytes, 0, bytes.length),
};

const managedFields = [{ manager: 'x'.repeat(100) }];
const metadata = { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '1', managedFields };
const pod = JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec: {} });
const events = [
  `{"type":"ADDED","object":${pod}}\n`,
  `{ "type": "ADDED", "object": ${pod} }\n`,
  `{"object":${pod},"type":"MODIFIED"}\n{"type":"ADD`,
];
const lists = [
  `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[${pod},${pod}`,
  `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[${pod}]}`,
];

describe('the bytes that a format keeps after a call', () => {
  test('none of JSON', async () => {
    expect(await keptBy(callsOf(jsonFormat, Buffer.from(pod)))).toEqual([]);
  });

  test('none of protobuf', async () => {
    expect(await keptBy(callsOf(pods, goFixture('Pod').protobuf))).toEqual([]);
  });
});

/** Each call with a whole object, and with one that is cut off. */
function callsOf(format: Format, whole: Buffer): Record<string, [Buffer, (bytes: Buffer) => void]> {
  const calls = Object.entries(uses).flatMap(([name, use]) => [
    [name, [whole, (bytes: Buffer) => use(format, bytes)]],
    [`${name} of a part`, [whole.subarray(0, 60), (bytes: Buffer) => use(format, bytes)]],
  ]);
  return Object.fromEntries(calls);
}

describe('the bytes that a splitter keeps until the next chunk', () => {
  /** The texts whose bytes a splitter of their own keeps. */
  async function keptChunks(make: () => Splitter, texts: readonly string[]): Promise<string[]> {
    const splitters = texts.map(() => make());
    const pushes = texts.map((text, index) => {
      const use = (chunk: Buffer): void => void splitters[index]?.push(chunk);
      return [text, [Buffer.from(text), use]] as const;
    });
    const kept = await keptBy(Object.fromEntries(pushes));
    // The splitters are still in use.
    expect(splitters).toHaveLength(texts.length);
    return kept;
  }

  async function keepsChunk(splitter: Splitter, bytes: Buffer): Promise<boolean> {
    const isKept = await keeps(bytes, (chunk) => void splitter.push(chunk));
    expect(splitter).toBeDefined();
    return isKept;
  }

  test('none of JSON events', async () => {
    expect(await keptChunks(() => jsonFormat.watchSplitter(), events)).toEqual([]);
  });

  test('none of JSON events after the splitter has seen the form of kube-apiserver', async () => {
    const splitter = jsonFormat.watchSplitter();
    const [event = ''] = events;
    for (let chunk = 0; chunk < 20; chunk++) splitter.push(Buffer.from(event));
    expect(await keepsChunk(splitter, Buffer.from(event.repeat(3)))).toBe(false);
    expect(await keepsChunk(splitter, Buffer.from('no event'))).toBe(false);
  });

  test('none of JSON lists', async () => {
    expect(await keptChunks(() => jsonFormat.listSplitter(), lists)).toEqual([]);
  });

  test('none of protobuf', async () => {
    expect(await keepsChunk(pods.watchSplitter(), goFixture('watch').protobuf)).toBe(false);
    expect(await keepsChunk(pods.listSplitter(), goFixture('list').protobuf)).toBe(false);
  });

  test.each(['JSON', 'protobuf'])('none of a large event that spanned chunks: %s', async (form) => {
    const large = JSON.stringify({ kind: 'Pod', metadata, data: 'x'.repeat(2_000_000) });
    const bytes =
      form === 'JSON'
        ? Buffer.from(`{"type":"ADDED","object":${large}}\n`)
        : Buffer.concat([lengthOf(2_000_000), Buffer.alloc(2_000_000)]);
    const splitter = form === 'JSON' ? jsonFormat.watchSplitter() : pods.watchSplitter();
    splitter.push(bytes.subarray(0, 1_000_000));
    const carried = carriedBy(splitter, bytes.subarray(1_000_000));
    for (let turns = 0; turns < 20 && carried?.deref() !== undefined; turns++) {
      await new Promise((resolve) => setImmediate(resolve));
      collect();
    }
    expect(carried?.deref()).toBeUndefined();
    expect(splitter).toBeDefined();
  });
});

function lengthOf(bytes: number): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes);
  return length;
}

/** The buffer in which the splitter collected the event that a chunk completes. */
function carriedBy(splitter: Splitter, chunk: Buffer): WeakRef<ArrayBufferLike> | undefined {
  try {
    const [frame] = splitter.push(chunk);
    return frame && new WeakRef(frame.buffer.buffer);
  } catch {
    return undefined;
  }
}
