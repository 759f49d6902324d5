import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { chunksOf } from '../json/json-chunks.test-support.ts';
import { MAX_DEPTH, skipValue, UNFINISHED } from '../json/json-bytes.ts';
import { JsonValueEnd } from '../json/json-value-end.ts';
import { ContainerSearch } from './container-search.ts';
import { UNDECIDED } from './container-program.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

/** The position after the container at the start of the bytes, as a reader of one byte after the other finds it. */
function endByBytes(bytes: Buffer): number | 'too deep' {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < bytes.length; at++) {
    const char = String.fromCharCode(bytes[at] as number);
    if (isInString) {
      if (char === '\\') at++;
      else if (char === '"') isInString = false;
    } else if (char === '"') isInString = true;
    else if ('{['.includes(char) && ++depth > MAX_DEPTH) return 'too deep';
    else if ('}]'.includes(char) && --depth === 0) return at + 1;
  }
  return UNFINISHED;
}

/** Returns the result of a search, or the error that it threw. */
function resultOf(search: () => number): number | 'too deep' {
  try {
    return search();
  } catch (error) {
    expect(error).toMatchObject({ code: 'MALFORMED_OBJECT' });
    return 'too deep';
  }
}

/** The position after the container, found in chunks. */
function endInChunks(chunks: readonly Buffer[]): number {
  const search = new JsonValueEnd();
  search.start(chunks.find(({ length }) => length > 0)?.[0] ?? 0);
  let before = 0;
  for (const chunk of chunks) {
    const end = search.push(chunk, 0, chunk.length);
    if (end !== UNFINISHED) return before + end;
    before += chunk.length;
  }
  return UNFINISHED;
}

const token = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('{', '}', '[', ']', '"', '\\', '\\"', '\\\\') },
  { weight: 1, arbitrary: fc.constantFrom('é', '\n', ',', ':', 'x'.repeat(60), ' '.repeat(250)) },
  { weight: 1, arbitrary: fc.string({ maxLength: 20 }) },
  { weight: 3, arbitrary: fc.json().filter((json) => json.length > 1) },
  { weight: 3, arbitrary: fc.string().map((text) => JSON.stringify(`\\${text}"`)) },
);
const container = fc
  .tuple(fc.constantFrom('{', '['), fc.array(token, { maxLength: 40 }))
  .map(([first, rest]) => Buffer.from(first + rest.join('')));

describe('a search for the end of a container', () => {
  test('finds the end that a reader of every byte finds, or leaves it undecided', () => {
    const search = new ContainerSearch(MAX_DEPTH);
    fc.assert(
      fc.property(container, fc.nat(70), (bytes, before) => {
        const shifted = Buffer.concat([Buffer.alloc(before, '"'), bytes]);
        const end = search.whole(shifted, before, shifted.length);
        if (end === UNDECIDED) return;
        expect(end === UNFINISHED ? end : end - before).toBe(endByBytes(bytes));
      }),
      { numRuns: Math.ceil(5000 * multiple) },
    );
  });

  test('finds it in any chunks, undecided parts included', () => {
    fc.assert(
      fc.property(container, fc.infiniteStream(fc.nat()), (bytes, numbers) => {
        const expected = endByBytes(bytes);
        expect(resultOf(() => skipValue(bytes, 0, bytes.length))).toBe(expected);
        expect(resultOf(() => endInChunks(chunksOf(bytes, numbers)))).toBe(expected);
      }),
      { numRuns: Math.ceil(5000 * multiple) },
    );
  });

  test('decides valid JSON, of any length and with escapes at any position', () => {
    const search = new ContainerSearch(MAX_DEPTH);
    for (let length = 0; length < 300; length++) {
      const value = { a: ['x'.repeat(length), '\\"{[', '}'], b: {} };
      const bytes = Buffer.from(`${JSON.stringify(value)}}`);
      expect(search.whole(bytes, 0, bytes.length)).toBe(bytes.length - 1);
      expect(search.whole(bytes, 0, bytes.length - 2)).toBe(UNFINISHED);
    }
    const long = Buffer.from(JSON.stringify([{ a: '\\'.repeat(100_001) }, 'b'.repeat(100_000)]));
    expect(search.whole(long, 0, long.length)).toBe(long.length);
  });

  test.each([MAX_DEPTH - 100, MAX_DEPTH, MAX_DEPTH + 1])('with a depth of %i', (depth) => {
    const bytes = Buffer.from('['.repeat(depth) + ']'.repeat(depth));
    expect(resultOf(() => skipValue(bytes, 0, bytes.length))).toBe(endByBytes(bytes));
    const halves = [bytes.subarray(0, depth), bytes.subarray(depth)];
    expect(resultOf(() => endInChunks(halves))).toBe(endByBytes(bytes));
  });

  test('is undecided without WebAssembly', () => {
    const { WebAssembly } = globalThis as { WebAssembly?: unknown };
    Object.assign(globalThis, { WebAssembly: undefined });
    try {
      const search = new ContainerSearch(MAX_DEPTH);
      expect(search.whole(Buffer.from('{}'), 0, 2)).toBe(UNDECIDED);
    } finally {
      Object.assign(globalThis, { WebAssembly });
    }
  });
});
