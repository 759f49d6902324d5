import { beforeAll, describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { hasCode } from '@keelson/apimachinery';
import { wireErrors } from '../errors.ts';
import type { Format, Splitter } from '../frames/format.ts';
import { chunksOf } from '../json/json-chunks.test-support.ts';
import { malformedObject } from '../json/json-bytes.ts';
import { goFixture, goFixtures } from './go-fixture.test-support.ts';
import { field } from './protobuf-bytes.test-support.ts';
import { loadProtobufFormats } from './load-protobuf-formats.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

let pods: Format;

beforeAll(async () => {
  const found = (await loadProtobufFormats()).find('v1', 'Pod');
  if (found === undefined) throw new Error('no format of Pod');
  pods = found;
});

/** A change of valid bytes: replaces some by others, and perhaps cuts off the rest. */
const change = fc.record({
  at: fc.nat(),
  removed: fc.nat({ max: 12 }),
  inserted: fc.uint8Array({ maxLength: 12 }),
  isCut: fc.boolean(),
});
const changes = fc.array(change, { maxLength: 4 });

/** Responses with a few wrong bytes reach more code than random bytes, of which there are some too. */
const hostile = fc.oneof(
  fc
    .tuple(fc.constantFrom(...goFixtures.keys()), changes)
    .map(([name, list]) => changed(goFixture(name).protobuf, list)),
  fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
);

interface Change {
  readonly at: number;
  readonly removed: number;
  readonly inserted: Uint8Array;
  readonly isCut: boolean;
}

function changed(bytes: Buffer, list: readonly Change[]): Buffer {
  return list.reduce((before, { at, removed, inserted, isCut }) => {
    const from = before.length === 0 ? 0 : at % before.length;
    const rest = isCut ? [] : [before.subarray(from + removed)];
    return Buffer.concat([before.subarray(0, from), inserted, ...rest]);
  }, bytes);
}

/** Returns the result, or the code of the error. Throws for an error of another kind. */
function attempt(read: () => unknown): string {
  try {
    return JSON.stringify(read()) ?? 'nothing';
  } catch (error) {
    const code = Object.keys(wireErrors).find((known) => hasCode(error, known));
    if (code === undefined) throw error;
    return code;
  }
}

/** Everything that a reader of an object does. */
function readObject(bytes: Buffer): unknown {
  const { length } = bytes;
  const positions = pods.positions();
  const parts = [
    attempt(() => pods.scan(bytes, 0, length, positions)),
    attempt(() => pods.identity(bytes, 0, length, positions)),
    attempt(() => pods.head(bytes, 0, length, positions)),
    attempt(() => pods.metadata(bytes, 0, length)),
    attempt(() => pods.decode(bytes, 0, length)),
  ];
  const target = Buffer.alloc(Math.max(0, pods.cutLength(0, length, positions)) + 8);
  return [...parts, attempt(() => pods.cut(bytes, 0, length, positions, target, 0))];
}

/** The objects of a response up to the first error, and that error. */
function readFrames(splitter: Splitter, chunks: readonly Buffer[]): string[] {
  const found: string[] = [];
  const error = attempt(() => {
    for (const chunk of chunks) {
      for (const { type, buffer, from, to } of splitter.push(chunk)) {
        found.push(`${type} ${attempt(() => pods.decode(buffer, from, to))}`);
      }
    }
    splitter.end();
  });
  return [...found, error];
}

const opening = fc.constantFrom('[', '{"a":', '["]}",', '[{"b":[]},', ' [\n');

/** JSON of some levels around the limit, some of it broken or cut off. */
const nested = fc
  .record({
    unit: opening,
    depth: fc.oneof(fc.nat({ max: 30 }), fc.integer({ min: 9_990, max: 10_010 })),
    center: fc.constantFrom('1', '"\\"["', 'nul', ''),
    isCut: fc.boolean(),
  })
  .map(({ unit, depth, center, isCut }) => {
    const close = unit.includes('a') ? '}' : ']';
    const text = unit.repeat(depth) + center + (isCut ? '' : close.repeat(depth));
    return { text, depth: unit.includes('b') && depth > 0 ? depth + 2 : depth };
  });

function parseOrRefuse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformedObject('not JSON');
  }
}

function dataOf(revision: unknown): unknown {
  return (revision as { data: unknown }).data;
}

/** Counts the levels along the first members, without recursion. */
function levelsOf(object: unknown): number {
  let levels = 0;
  for (let at = object; typeof at === 'object' && at !== null; levels++) {
    at = Object.values(at).at(-1);
  }
  return levels;
}

const runs = { numRuns: Math.ceil(2000 * multiple) };

describe('hostile protobuf', () => {
  test('is decoded or refused with a code, and never read beyond its end', () => {
    fc.assert(
      fc.property(hostile, (bytes) => {
        const surrounded = Buffer.concat([bytes, Buffer.alloc(16, 0x0a)]);
        expect(readObject(surrounded.subarray(0, bytes.length))).toEqual(readObject(bytes));
      }),
      runs,
    );
  });

  test('loses managedFields alone when it is cut', () => {
    fc.assert(
      fc.property(hostile, (bytes) => {
        const decoded = attempt(() => pods.decode(bytes, 0, bytes.length));
        fc.pre(decoded.startsWith('{'));
        const positions = pods.positions();
        const scan = attempt(() => pods.scan(bytes, 0, bytes.length, positions));
        fc.pre(scan === 'nothing');
        const target = Buffer.alloc(pods.cutLength(0, bytes.length, positions) + 8);
        const length = pods.cut(bytes, 0, bytes.length, positions, target, 0);
        const { apiVersion, kind, ...object } = JSON.parse(decoded) as Record<string, unknown>;
        fc.pre(kind === undefined || (apiVersion === 'v1' && kind === 'Pod'));
        delete (object.metadata as { managedFields?: unknown } | undefined)?.managedFields;
        expect(pods.decode(target, 0, length)).toEqual(object);
      }),
      runs,
    );
  });

  test('JSON inside is decoded as JSON.parse does, or refused beyond 10 000 levels', async () => {
    const revisions = (await loadProtobufFormats()).find('apps/v1', 'ControllerRevision');
    if (revisions === undefined) throw new Error('no format of ControllerRevision');
    fc.assert(
      fc.property(nested, ({ text, depth }) => {
        const bytes = field(2, field(1, text));
        const found = attempt(() => levelsOf(dataOf(revisions.decode(bytes, 0, bytes.length))));
        const parsed = attempt(() => levelsOf(parseOrRefuse(text)));
        expect(found).toBe(depth > 10_000 ? 'MALFORMED_OBJECT' : parsed);
      }),
      { numRuns: Math.ceil(200 * multiple) },
    );
  });

  test('is split in the same way whatever its chunks are', () => {
    fc.assert(
      fc.property(hostile, fc.infiniteStream(fc.nat()), (bytes, numbers) => {
        for (const splitter of ['listSplitter', 'watchSplitter'] as const) {
          const whole = readFrames(pods[splitter](), [bytes]);
          const inChunks = readFrames(pods[splitter](), chunksOf(bytes, numbers));
          // In one chunk, an error hides the frames before it.
          expect(inChunks.at(-1)).toBe(whole.at(-1));
          if (whole.at(-1) === 'nothing') expect(inChunks).toEqual(whole);
        }
      }),
      runs,
    );
  });
});
