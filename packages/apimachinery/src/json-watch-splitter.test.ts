import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { Frame, WatchEventType } from './format.ts';
import { chunksOf, withWhiteSpace } from './json-chunks.test.support.ts';
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

const type = fc.constantFrom<WatchEventType>('ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR');
const object = fc
  .dictionary(fc.string({ unit: 'binary', maxLength: 8 }), fc.jsonValue())
  .map((source) => JSON.parse(JSON.stringify(source)) as object);
const event = fc.record({ type, object });

function malformed(code: string): unknown {
  return expect.objectContaining({ code });
}

describe('JsonWatchSplitter', () => {
  test('events as the API server writes them, in any chunks', () => {
    fc.assert(
      fc.property(fc.array(event), fc.infiniteStream(fc.nat()), (events, numbers) => {
        const bytes = Buffer.from(events.map((line) => `${JSON.stringify(line)}\n`).join(''));
        expect(split(chunksOf(bytes, numbers))).toEqual(events);
      }),
      { numRuns: 1000 },
    );
  });

  test('events in any order of members, spread over lines, with more members than two', () => {
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
      { numRuns: 1000 },
    );
  });

  test('RF43 an event larger than any chunk parses', () => {
    const large = { type: 'ADDED', object: { data: 'é"\\'.repeat(600_000) } };
    const bytes = Buffer.from(`${JSON.stringify(large)}\n${JSON.stringify(large)}\n`);
    const chunks: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += 16_384) chunks.push(bytes.subarray(at, at + 16_384));
    expect(split(chunks)).toEqual([large, large]);
  });

  test('RF42 a truncated last event is an error', () => {
    const whole = Buffer.from('{"type":"ADDED","object":{"a":{"b":1}}}\n');
    for (let length = 1; length < whole.length; length++) {
      expect(() => split([whole.subarray(0, length)])).toThrow(malformed('TRUNCATED_RESPONSE'));
    }
    expect(split([whole, Buffer.from('\n \n')])).toHaveLength(1);
  });

  test('a type that nobody knows is an error with its name', () => {
    const bytes = Buffer.from('{"type":"RENAMED","object":{}}\n');
    expect(() => split([bytes])).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_EVENT_TYPE', facts: { type: 'RENAMED' } }),
    );
  });

  test.each(['[]\n', 'hello\n', '{"type":"ADDED"}\n', '{"type":"ADDED","object":1}\n'])(
    'lines that are no event are refused: %j',
    (source) => {
      expect(() => split([Buffer.from(source)])).toThrow(malformed('MALFORMED_WATCH_EVENT'));
    },
  );
});
