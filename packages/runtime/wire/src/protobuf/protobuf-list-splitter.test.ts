import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Format, ListSplitter } from '../frames/format.ts';
import { goFixture } from './go-fixture.test-support.ts';
import { loadProtobufFormats } from './load-protobuf-formats.ts';
import { enveloped, field, integer, varint } from './protobuf-bytes.test-support.ts';

let pods: Format;

beforeAll(async () => {
  const found = (await loadProtobufFormats()).find('v1', 'Pod');
  if (found === undefined) throw new Error('no format of Pod');
  pods = found;
});

interface Split {
  readonly splitter: ListSplitter;
  readonly items: readonly unknown[];
}

function split(chunks: readonly Buffer[]): Split {
  const splitter = pods.listSplitter();
  const items = chunks.flatMap((chunk) =>
    splitter.push(chunk).map(({ type, format, buffer, from, to }) => {
      expect(type).toBe('ADDED');
      return format?.decode(buffer, from, to);
    }),
  );
  return { splitter, items };
}

function inChunksOf(bytes: Buffer, length: number): Buffer[] {
  const count = Math.ceil(bytes.length / length);
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * length, (index + 1) * length),
  );
}

const list = (...fields: readonly Buffer[]): Buffer =>
  enveloped(Buffer.concat(fields), 'v1', 'PodList');
const item = (name: string): Buffer => field(2, field(1, field(1, name)));

describe('the splitter of protobuf lists', () => {
  test.each([1, 2, 3, 5, 64, 1000, 100_000])('splits a list in chunks of %d bytes', (length) => {
    const { protobuf, json } = goFixture('list');
    const { splitter, items } = split(inChunksOf(protobuf, length));
    splitter.end();
    const { apiVersion, kind, metadata, hasItems } = splitter;
    expect(hasItems).toBe(true);
    expect(JSON.stringify({ kind, apiVersion, metadata, items })).toBe(JSON.stringify(json[0]));
  });

  test('splits a list at every position', () => {
    const { protobuf, json } = goFixture('list');
    const { items: expected } = json[0] as { items: readonly unknown[] };
    const text = JSON.stringify(expected);
    for (let at = 0; at <= protobuf.length; at++) {
      const { splitter, items } = split([protobuf.subarray(0, at), protobuf.subarray(at)]);
      splitter.end();
      expect(JSON.stringify(items)).toBe(text);
    }
  });

  test('yields an item within one chunk as a range of that chunk', () => {
    const bytes = list(item('a'));
    const [frame] = pods.listSplitter().push(bytes);
    expect(frame?.buffer.buffer).toBe(bytes.buffer);
  });

  test('knows the kind before the first item', () => {
    const { protobuf } = goFixture('list');
    const splitter = pods.listSplitter();
    splitter.push(protobuf.subarray(0, 24));
    expect(splitter).toMatchObject({ apiVersion: 'v1', kind: 'PodList', hasItems: true });
  });

  test('splits an empty list', () => {
    for (const bytes of [list(), list(field(1))]) {
      const { splitter, items } = split([bytes]);
      splitter.end();
      expect({ items, hasItems: splitter.hasItems }).toEqual({ items: [], hasItems: true });
    }
  });

  test('skips an object that is not a list', () => {
    for (const length of [1, 7, 1000]) {
      const { splitter, items } = split(inChunksOf(goFixture('Status').protobuf, length));
      splitter.end();
      expect(items).toEqual([]);
      expect(splitter).toMatchObject({ kind: 'Status', hasItems: false, metadata: undefined });
    }
  });

  test('reports a list that ends early, at whatever byte', () => {
    const { protobuf } = goFixture('list');
    const contentLength = 4;
    for (let at = 0; at < protobuf.length; at++) {
      // After the list the server sends two empty fields. Without them the list is complete.
      if (at === protobuf.length - contentLength || at === protobuf.length - 2) continue;
      const { splitter } = split([protobuf.subarray(0, at)]);
      expect(() => splitter.end()).toThrow(expect.objectContaining({ code: 'TRUNCATED_RESPONSE' }));
    }
  });

  test.each([
    ['JSON', Buffer.from('{"kind":"PodList"}'), 'magic'],
    ['a number where the envelope has a message', Buffer.from('k8s\0\x08\x01'), 'envelope'],
    [
      'a list without a type',
      Buffer.concat([Buffer.from('k8s\0'), field(2, item('a'))]),
      'envelope',
    ],
    ['a field that no list has', list(field(3, 'x')), 'list'],
    ['metadata that occur twice', list(field(1), field(1)), 'list'],
    ['a number in the list', list(integer(2, 1)), 'list'],
    ['an item beyond the end of the list', list(Buffer.concat([varint(18), varint(9)])), 'list'],
  ])('refuses %s', (_, bytes, place) => {
    for (const length of [1, 3, 1000]) {
      expect(() => split(inChunksOf(bytes, length))).toThrow(
        expect.objectContaining({ code: 'MALFORMED_LIST', facts: { place } }),
      );
    }
  });

  test.each([
    ['a second list in the envelope', Buffer.concat([list(), field(2, item('a'))])],
    ['a compressed list', Buffer.concat([Buffer.from('k8s\0'), field(3, 'gzip')])],
    ['an endless length', Buffer.concat([Buffer.from('k8s\0\x0a'), Buffer.alloc(6, 0xff)])],
    ['metadata that are malformed', list(field(1, integer(1, 1)))],
  ])('refuses %s', (_, bytes) => {
    for (const length of [1, 3, 1000]) {
      expect(() => split(inChunksOf(bytes, length))).toThrow(
        expect.objectContaining({ code: 'MALFORMED_OBJECT' }),
      );
    }
  });

  test('refuses an item of more than 64 MiB before it arrives', () => {
    const length = 64 * 1024 * 1024 + 1;
    const header = Buffer.concat([
      Buffer.from('k8s\0'),
      field(1, field(1, 'v1'), field(2, 'PodList')),
      Buffer.concat([varint(18), varint(2 * length)]),
      Buffer.concat([varint(18), varint(length)]),
    ]);
    expect(() => split([header])).toThrow(
      expect.objectContaining({
        code: 'FRAME_TOO_LARGE',
        facts: expect.objectContaining({ bytes: length }),
      }),
    );
  });
});
