import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { Frame } from '../frames/format.ts';
import { skipSpace, UNFINISHED } from './json-bytes.ts';
import { chunksOf } from './json-chunks.test-support.ts';
import { jsonFormat } from './json-format.ts';
import { JsonWatchEvent } from './json-watch-event.ts';
import { JsonWatchSplitter } from './json-watch-splitter.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

const FAILED = 'failed';

function decoded(type: string, bytes: Uint8Array, from: number, to: number): string {
  try {
    return `${type} ${JSON.stringify(jsonFormat.decode(bytes, from, to))}`;
  } catch {
    return FAILED;
  }
}

/** Returns the events up to the first error, as a reader of every byte finds them in the whole stream. */
function readEvents(bytes: Buffer): string[] {
  const found: string[] = [];
  const event = new JsonWatchEvent();
  try {
    let at = skipSpace(bytes, 0, bytes.length);
    while (at < bytes.length) {
      const end = event.read(bytes, at, bytes.length);
      if (end === UNFINISHED) return [...found, FAILED];
      found.push(decoded(event.type, bytes, event.objectFrom, event.objectTo));
      if (found.at(-1) === FAILED) return found;
      at = skipSpace(bytes, end, bytes.length);
    }
    return found;
  } catch {
    return [...found, FAILED];
  }
}

/** Returns the events up to the first error, as the splitter yields them in these chunks. */
function splitEvents(chunks: readonly Buffer[]): string[] {
  const found: string[] = [];
  const splitter = new JsonWatchSplitter(jsonFormat);
  try {
    for (const chunk of chunks) {
      for (const { type, buffer, from, to } of splitter.push(chunk)) {
        found.push(decoded(type, buffer, from, to));
        if (found.at(-1) === FAILED) return found;
      }
    }
    splitter.end();
    return found;
  } catch {
    return [...found, FAILED];
  }
}

/** True if the splitter yields the same events, or fails before it yields a different one. */
function expectSafe(bytes: Buffer, chunks: readonly Buffer[]): void {
  const actual = splitEvents(chunks);
  const expected = readEvents(bytes);
  const isFailed = actual.at(-1) === FAILED;
  if (isFailed) expect(actual.slice(0, -1)).toEqual(expected.slice(0, actual.length - 1));
  else expect(actual).toEqual(expected);
}

const plain = '{"type":"MODIFIED","object":{"a":{"b":"}}"},"subject":"\\"}{"}}\n';
const tokens = [
  '{',
  '}',
  '}}',
  '}{',
  '"',
  '\\',
  ',',
  ':',
  '[',
  ']',
  '\n',
  '\r\n',
  ' ',
  '\u00E9',
  '\u0000',
];
const inserts = [
  '}}{"type":"DELETED","object":{',
  '}} \t{"object":{},"type":"ADDED"}',
  '}}\n{"type":"BOOKMARK","object":{',
  '},"type":"DELETED","x":{',
  '},"x":1}{"b":{',
  '},"x":1}{"type":"DELETED","obj\\u0065ct":{',
  '},"\\u0074ype":"DELETED","x":{',
  '},"obj\\u0065ct":{',
  '},"object":{',
  '},"x":{',
  '},x,{',
];
const change = fc.record({
  at: fc.nat(),
  removed: fc.constantFrom(0, 0, 0, 1, 1, 2, 8, 40),
  bytes: fc.oneof(
    fc.constantFrom(...tokens, ...inserts).map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes)),
  ),
});

function changed(
  line: string,
  changes: readonly { at: number; removed: number; bytes: Buffer }[],
): Buffer {
  let bytes = Buffer.from(line);
  for (const { at, removed, bytes: added } of changes) {
    const from = at % (bytes.length + 1);
    bytes = Buffer.concat([bytes.subarray(0, from), added, bytes.subarray(from + removed)]);
  }
  return bytes;
}

test('yields no event that a reader of every byte would not yield, for invalid streams in any chunks', () => {
  const broken = fc.array(change, { maxLength: 3 }).map((changes) => changed(plain, changes));
  const before = fc.constantFrom(0, 1, 2, 20);
  const lines = fc.array(broken, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(
      before,
      lines,
      fc.nat(2),
      fc.infiniteStream(fc.nat()),
      (first, some, last, numbers) => {
        const known = Buffer.from(plain.repeat(first));
        const bytes = Buffer.concat([known, ...some, Buffer.from(plain.repeat(last))]);
        const chunks = chunksOf(bytes.subarray(known.length), numbers);
        expectSafe(bytes, [...Array.from({ length: first }, () => Buffer.from(plain)), ...chunks]);
      },
    ),
    { numRuns: Math.ceil(3000 * multiple) },
  );
});

test.each([
  ['a repeated type', ',"type":"DELETED","x":{}'],
  ['a repeated type in escapes', ',"\\u0074ype":"DELETED","x":{}'],
  ['a repeated object in escapes', ',"obj\\u0065ct":{}'],
  ['a member without a name', ',x,{}'],
  ['another event that shares the line', ',"x":1}{"type":"DELETED","obj\\u0065ct":{}'],
])('refuses a line of one event if its object is followed by %s', (_, rest) => {
  const splitter = new JsonWatchSplitter(jsonFormat);
  splitter.push(Buffer.from(plain));
  const frame = splitter.push(
    Buffer.from(`{"type":"ADDED","object":{"a":1}${rest}}\n${plain}`),
  )[0] as Frame;
  expect(() => jsonFormat.decode(frame.buffer, frame.from, frame.to)).toThrow(
    expect.objectContaining({ code: 'MALFORMED_OBJECT' }),
  );
});
