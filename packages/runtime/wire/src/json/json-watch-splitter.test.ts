import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { anyText } from '../testing/any-text.test-support.ts';
import type { Frame, WatchEventType } from '../frames/format.ts';
import { chunksOf, withEscapes, withWhiteSpace } from './json-chunks.test-support.ts';
import { jsonFormat } from './json-format.ts';
import { JsonWatchSplitter } from './json-watch-splitter.ts';

interface Line {
  type: WatchEventType;
  object: unknown;
}

function split(chunks: readonly Uint8Array[]): Line[] {
  const splitter = new JsonWatchSplitter(jsonFormat);
  const lines = chunks.flatMap((chunk) => splitter.push(chunk).map(lineOf));
  splitter.end();
  return lines;
}

function lineOf(frame: Frame): Line {
  return {
    type: frame.type,
    object: jsonFormat.decode(frame.buffer, frame.from, frame.to),
  };
}

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

const type = fc.constantFrom<WatchEventType>('ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR');
const object = fc
  .dictionary(anyText(8), fc.jsonValue())
  .map((source) => JSON.parse(JSON.stringify(source)) as object);
const event = fc.record({ type, object });

function plainLine(): Line {
  const metadata = { name: 'a', namespace: 'b', labels: { '}{': '"}}{"' } };
  return { type: 'MODIFIED', object: { kind: 'Pod', metadata, status: { phase: 'x', at: {} } } };
}

/** Objects with braces, names and types that a search could mistake for the start or end of an event. */
const misleading: readonly object[] = [
  { text: '}{', pair: '}} {{', line: '}}\n{"type":"ADDED","object":{' },
  { text: '{"type":"ADDED","object":{}}{"type":"DELETED","object":{}}' },
  { object: { object: { type: 'object' } }, type: 'ADDED' },
  { involvedObject: { kind: 'Pod' }, subject: 'object', project: { object: 1 } },
  { properties: { a: { type: 'object' }, b: { type: 'object' } }, jjjjj: 'jjjjjj' },
];
const misleadingEvent = fc.record({ type, object: fc.constantFrom(...misleading) });

function* forever(number: number): Generator<number> {
  for (;;) yield number;
}

/** Layouts in which a server may write an event, and the bytes after it. */
const layouts: Readonly<Record<string, (line: Line, numbers: Iterator<number>) => string>> = {
  'one per line': (line) => `${JSON.stringify(line)}\n`,
  CRLF: (line) => `${JSON.stringify(line)}\r\n`,
  'a newline before it': (line) => `\n${JSON.stringify(line)}`,
  'several on a line': (line) => JSON.stringify(line),
  'several on a line, apart': (line) => `${JSON.stringify(line)} \t`,
  'pretty-printed': (line) => `${JSON.stringify(line, null, 2)}\n`,
  'pretty-printed with tabs, without end': (line) => JSON.stringify(line, null, '\t'),
  'a pretty object in a plain event': ({ type: t, object: o }) =>
    `{"type":"${t}","object":${JSON.stringify(o, null, 2)}}\n`,
  'white space anywhere': (line, numbers) => withWhiteSpace(JSON.stringify(line), numbers),
  'object first': ({ type: t, object: o }) => `${JSON.stringify({ object: o, type: t })}\n`,
  'names and values apart': ({ type: t, object: o }) =>
    `{ "type" : "${t}" , "object" : ${JSON.stringify(o)} }`,
  'members behind, several on a line': (line) => JSON.stringify({ ...line, extra: { a: {} } }),
  'more members behind': (line) => `${JSON.stringify({ ...line, extra: { a: { b: {} } } })}\n`,
  'names in escapes': ({ type: t, object: o }) =>
    `{"\\u0074ype":"${t}","object":${withEscapes(JSON.stringify(o))}}\n`,
};

function malformed(code: string): unknown {
  return expect.objectContaining({ code });
}

describe('JsonWatchSplitter', () => {
  test("yields events in kube-apiserver's form, in any chunks", () => {
    fc.assert(
      fc.property(fc.array(event), fc.infiniteStream(fc.nat()), (events, numbers) => {
        const bytes = Buffer.from(events.map((line) => `${JSON.stringify(line)}\n`).join(''));
        expect(split(chunksOf(bytes, numbers))).toEqual(events);
      }),
      { numRuns: Math.ceil(100 * multiple) },
    );
  });

  test('yields events with any order of members, over several lines, with more than two members', () => {
    const other = fc.record({ event, swap: fc.boolean(), extra: fc.jsonValue() });
    fc.assert(
      fc.property(fc.array(other), fc.infiniteStream(fc.nat()), (events, numbers) => {
        const lines = events.map(({ event: { type: t, object: o }, swap, extra }) =>
          withWhiteSpace(
            JSON.stringify(swap ? { object: o, extra, type: t } : { extra, type: t, object: o }),
            numbers,
          ),
        );
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
        expect(split(chunksOf(bytes, numbers))).toEqual(events.map((e) => e.event));
      }),
      { numRuns: Math.ceil(100 * multiple) },
    );
  });

  test.each(Object.keys(layouts))(
    'yields the events that a parser finds, for a stream of any length in any chunks: %s',
    (name) => {
      const layout = layouts[name] as (typeof layouts)[string];
      fc.assert(
        fc.property(
          fc.array(event),
          fc.nat(100),
          fc.infiniteStream(fc.nat()),
          (some, plain, numbers) => {
            const lines = [...Array.from({ length: plain }, plainLine), ...some];
            const text = lines.map((line) => layout(line, numbers)).join('');
            expect(split(chunksOf(Buffer.from(text), numbers))).toEqual(lines);
          },
        ),
        { numRuns: Math.ceil(10 * multiple) },
      );
    },
  );

  test('yields the events that a parser finds if the layout changes between events', () => {
    const mixed = fc.array(fc.tuple(fc.constantFrom(...Object.values(layouts)), event));
    fc.assert(
      fc.property(mixed, fc.boolean(), fc.infiniteStream(fc.nat()), (lines, hasMark, numbers) => {
        const text = lines.map(([layout, line]) => layout(line, numbers)).join('');
        const bytes = Buffer.from(`${hasMark ? '\uFEFF' : ''}${text}`);
        expect(split(chunksOf(bytes, numbers))).toEqual(lines.map(([, line]) => line));
      }),
      { numRuns: Math.ceil(50 * multiple) },
    );
  });

  test.each([
    // A newline may be at any token here; see the refusal of a line that does not end its event.
    [12, Object.values(layouts)],
    [60, Object.values(layouts).filter((layout) => layout !== layouts['white space anywhere'])],
  ])('yields every event of another layout after %d lines of one event each', (plain, others) => {
    const weird = fc.oneof(event, misleadingEvent);
    const mixed = fc.array(fc.tuple(fc.constantFrom(...others), weird), { minLength: 1 });
    fc.assert(
      fc.property(mixed, fc.infiniteStream(fc.nat()), (some, numbers) => {
        const first = Array.from({ length: plain }, plainLine);
        const text = [
          ...first.map((line) => `${JSON.stringify(line)}\n`),
          ...some.map(([layout, line]) => layout(line, numbers)),
        ];
        const expected = [...first, ...some.map(([, line]) => line)];
        expect(split(chunksOf(Buffer.from(text.join('')), numbers))).toEqual(expected);
      }),
      { numRuns: Math.ceil(50 * multiple) },
    );
  });

  test.each(['\\u006fbject', 'o\\u0062ject', '\\u006F\\u0062ject'])(
    'finds an event that shares a line if its member is named %s',
    (name) => {
      const lines = [plainLine(), plainLine(), plainLine(), plainLine()];
      const texts = lines.map((line) => JSON.stringify(line));
      const last = texts[3]?.replace('"object"', `"${name}"`);
      expect(split([Buffer.from(`${texts[0]}\n${texts[1]}\n${texts[2]}${last}\n`)])).toEqual(lines);
    },
  );

  test('refuses a response if a chunk ends with a line that does not end its event', () => {
    const splitter = new JsonWatchSplitter(jsonFormat);
    const line = Buffer.from(`${JSON.stringify(plainLine())}\n`);
    for (let n = 0; n < 20; n++) expect(splitter.push(line)).toHaveLength(1);
    const broken = Buffer.from('{"type":"ADDED","object":{"a":{"b":{}}\n');
    const frames = splitter.push(broken);
    expect(() => frames.map(lineOf)).toThrow(malformed('MALFORMED_OBJECT'));
    expect(() => splitter.push(Buffer.from('}}\n'))).toThrow(malformed('MALFORMED_WATCH_EVENT'));
  });

  test('finds events that share a line after any number of lines of one event each', () => {
    const lines = Array.from({ length: 300 }, plainLine);
    const text = lines.map(
      (line, n) => JSON.stringify(line) + (n < 150 || n % 2 === 0 ? '\n' : ''),
    );
    for (const size of [1, 7, 100, 1_000, 100_000]) {
      const bytes = Buffer.from(text.join(''));
      const count = Math.ceil(bytes.length / size);
      const chunks = Array.from({ length: count }, (_, n) =>
        bytes.subarray(n * size, (n + 1) * size),
      );
      expect(split(chunks)).toEqual(lines);
    }
  });

  test.each<WatchEventType>(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'])(
    'finds an event %s that shares a line after 100 lines of one event each',
    (second) => {
      const lines = Array.from({ length: 100 }, plainLine);
      const joined = [plainLine(), { type: second, object: { kind: 'Pod', metadata: {} } }];
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      const last = `${joined.map((line) => JSON.stringify(line)).join('')}\n`;
      expect(split([Buffer.from(text + last)])).toEqual([...lines, ...joined]);
    },
  );

  test('yields an event when its last brace has arrived, whatever follows it', () => {
    const splitter = new JsonWatchSplitter(jsonFormat);
    const plain = JSON.stringify(plainLine());
    expect(splitter.push(Buffer.from(plain)).map(lineOf)).toEqual([plainLine()]);
    expect(splitter.push(Buffer.from('\n'))).toEqual([]);
    expect(splitter.push(Buffer.from(`${plain} \n\n`)).map(lineOf)).toEqual([plainLine()]);
    splitter.end();
  });

  test('yields an event within one chunk as a range of that chunk, in any layout', () => {
    for (const layout of Object.values(layouts)) {
      const text = Array.from({ length: 9 }, () => layout(plainLine(), forever(0))).join('');
      const chunk = Buffer.from(`${text}{"type"`);
      const frames = new JsonWatchSplitter(jsonFormat).push(chunk);
      expect(frames).toHaveLength(9);
      expect(frames.every(({ buffer }) => buffer.buffer === chunk.buffer)).toBe(true);
    }
  });

  test('frames of a chunk share no byte', () => {
    fc.assert(
      fc.property(
        fc.array(event, { minLength: 3 }),
        fc.infiniteStream(fc.nat()),
        (events, numbers) => {
          const text = events.map((line) => JSON.stringify(line, null, 1)).join('\n');
          const splitter = new JsonWatchSplitter(jsonFormat);
          for (const chunk of chunksOf(Buffer.from(text), numbers)) {
            const frames = splitter.push(chunk);
            const before = frames.map(lineOf);
            for (const [n, { buffer, from, to }] of frames.entries()) {
              const kept = Buffer.from(buffer.subarray(from, to));
              buffer.fill(0, from, to);
              expect(frames.filter((_, m) => m !== n).map(lineOf)).toEqual(
                before.filter((_, m) => m !== n),
              );
              buffer.set(kept, from);
            }
          }
        },
      ),
      { numRuns: Math.ceil(20 * multiple) },
    );
  });

  test('RF43 yields an event larger than any chunk', () => {
    const large = { type: 'ADDED', object: { data: 'é"\\'.repeat(600_000) } };
    const bytes = Buffer.from(`${JSON.stringify(large)}\n${JSON.stringify(large)}\n`);
    const chunks: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += 16_384) chunks.push(bytes.subarray(at, at + 16_384));
    expect(split(chunks)).toEqual([large, large]);
  });

  test('RF42 throws for a truncated last event', () => {
    const whole = Buffer.from('{"type":"ADDED","object":{"a":{"b":1}}}\n');
    // Only the final newline may be missing.
    for (let length = 1; length < whole.length - 1; length++) {
      expect(() => split([whole.subarray(0, length)])).toThrow(malformed('TRUNCATED_RESPONSE'));
    }
    expect(split([whole.subarray(0, whole.length - 1)])).toHaveLength(1);
    expect(split([whole, Buffer.from('\n \n')])).toHaveLength(1);
  });

  test('throws for an unknown type with its name', () => {
    const bytes = Buffer.from('{"type":"RENAMED","object":{}}\n');
    expect(() => split([bytes])).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_EVENT_TYPE', facts: { type: 'RENAMED' } }),
    );
  });

  test('omits the text of an unknown type unless it is an upper-case word', () => {
    const bytes = Buffer.from('{"type":"opensesame","object":{}}\n');
    expect(() => split([bytes])).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_EVENT_TYPE', facts: {} }),
    );
  });

  test.each(['[]\n', 'hello\n', '{"type":"ADDED"}\n', '{"type":"ADDED","object":1}\n'])(
    'refuses a line that is not an event: %j',
    (source) => {
      expect(() => split([Buffer.from(source)])).toThrow(malformed('MALFORMED_WATCH_EVENT'));
    },
  );
});
