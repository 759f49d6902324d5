import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Format } from '../frames/format.ts';
import { goFixture } from './go-fixture.test-support.ts';
import { loadProtobufFormats } from './load-protobuf-formats.ts';
import { enveloped, eventOf, field, framed } from './protobuf-bytes.test-support.ts';

let pods: Format;

beforeAll(async () => {
  const found = (await loadProtobufFormats()).find('v1', 'Pod');
  if (found === undefined) throw new Error('no format of Pod');
  pods = found;
});

function events(chunks: readonly Buffer[]): unknown[] {
  const splitter = pods.watchSplitter();
  const found = chunks.flatMap((chunk) =>
    splitter.push(chunk).map(({ type, format, buffer, from, to }) => ({
      type,
      object: format?.decode(buffer, from, to),
    })),
  );
  splitter.end();
  return found;
}

function inChunksOf(bytes: Buffer, length: number): Buffer[] {
  const count = Math.ceil(bytes.length / length);
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * length, (index + 1) * length),
  );
}

const pod = (name: string): Buffer => enveloped(field(1, field(1, name)), 'v1', 'Pod');

describe('the splitter of protobuf watches', () => {
  test.each([1, 2, 3, 5, 64, 1000, 100_000])('splits events in chunks of %d bytes', (length) => {
    const { protobuf, json } = goFixture('watch');
    const found = events(inChunksOf(protobuf, length));
    expect(found.map((event) => JSON.stringify(event))).toEqual(
      json.map((event) => JSON.stringify(event)),
    );
  });

  test('splits events at every position', () => {
    const { protobuf, json } = goFixture('watch');
    const expected = JSON.stringify(json);
    for (let at = 0; at <= protobuf.length; at++) {
      const found = events([protobuf.subarray(0, at), protobuf.subarray(at)]);
      expect(JSON.stringify(found)).toBe(expected);
    }
  });

  test('yields an event within one chunk as a range of that chunk', () => {
    const bytes = eventOf('ADDED', pod('a'));
    const [frame] = pods.watchSplitter().push(bytes);
    expect(frame?.buffer.buffer).toBe(bytes.buffer);
  });

  test('keeps the frames of one call apart', () => {
    const [first, second] = [eventOf('ADDED', pod('a')), eventOf('DELETED', pod('b'))];
    const splitter = pods.watchSplitter();
    splitter.push(first.subarray(0, 9));
    const frames = splitter.push(Buffer.concat([first.subarray(9), second, first.subarray(0, 9)]));
    expect(frames.map(({ buffer, from, to }) => pods.decode(buffer, from, to))).toMatchObject([
      { metadata: { name: 'a' } },
      { metadata: { name: 'b' } },
    ]);
  });

  test('reports an event that is cut off, at whatever byte', () => {
    const bytes = eventOf('ADDED', pod('a'));
    for (let at = 1; at < bytes.length; at++) {
      expect(() => events([bytes.subarray(0, at)])).toThrow(
        expect.objectContaining({
          code: 'TRUNCATED_RESPONSE',
          facts: { response: 'watch', bytes: at },
        }),
      );
    }
  });

  test.each([
    ['an empty event', framed(Buffer.alloc(0)), 'no object'],
    ['an event without an object', framed(field(1, 'ADDED')), 'no object'],
    ['an object without bytes', framed(Buffer.concat([field(1, 'ADDED'), field(2)])), 'no object'],
    ['an object of another form', framed(field(2, field(2, 'x'))), 'no object'],
    [
      'two objects',
      framed(Buffer.concat([field(2, field(1)), field(2, field(1))])),
      'unknown field',
    ],
    ['more than the object', framed(field(2, field(1), field(2))), 'unknown field'],
    ['another field', framed(field(3, 'x')), 'unknown field'],
  ])('refuses %s', (_, bytes, reason) => {
    for (const length of [1, 1000]) {
      expect(() => events(inChunksOf(bytes, length))).toThrow(
        expect.objectContaining({ code: 'MALFORMED_WATCH_EVENT', facts: { reason } }),
      );
    }
  });

  test('refuses an unknown type of an event', () => {
    expect(() => events([eventOf('RENAMED', pod('a'))])).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_EVENT_TYPE', facts: { type: 'RENAMED' } }),
    );
  });

  test('refuses an event of more than 64 MiB before it arrives, such as a response in JSON', () => {
    for (const bytes of [Buffer.from('{"type":"ADDED"'), Buffer.from([0x04, 0, 0, 1])]) {
      expect(() => events([bytes])).toThrow(expect.objectContaining({ code: 'FRAME_TOO_LARGE' }));
    }
  });
});
