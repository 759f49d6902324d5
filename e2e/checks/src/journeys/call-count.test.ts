import { describe, expect, test } from '@jest/globals';
import { callCountOf, commonCalls, growth, linesOf, sizeOf } from './call-count.ts';

type Functions = Readonly<Record<string, readonly number[]>>;

/** Coverage of one file, with the number of calls of each function of a name. */
function covered(file: string, functions: Functions): Parameters<typeof callCountOf>[0][number] {
  const entries = Object.entries(functions).flatMap(([functionName, counts]) =>
    counts.map((count) => ({ functionName, count })),
  );
  return {
    scriptId: '1',
    url: `file:///work/packages/${file}`,
    functions: entries.map(({ functionName, count }, index) => ({
      functionName,
      isBlockCoverage: false,
      ranges: [{ startOffset: index, endOffset: index + 1, count }],
    })),
  };
}

const counted = (functions: Functions): ReturnType<typeof callCountOf> =>
  callCountOf([covered('runtime/client/src/a.ts', functions)]);

describe('the calls of a journey', () => {
  test('are those of functions of the runtime that ran', () => {
    const count = callCountOf([
      covered('runtime/client/src/a.ts', { read: [2], next: [0], '': [1, 1] }),
      covered('toolkit/apiserver/src/b.ts', { serve: [9] }),
    ]);
    expect(sizeOf(count)).toEqual({ functions: 3, calls: 4, files: 1 });
    expect(linesOf(count)).toEqual(['  client/src/a.ts: read×2 (anonymous) (anonymous)']);
  });

  test('do not include those of a timer that expired in one of the rounds', () => {
    const rounds = [counted({ read: [3], tick: [1] }), counted({ read: [2], tick: [0] })];
    expect(linesOf(commonCalls(rounds))).toEqual(['  client/src/a.ts: read×2']);
    expect(sizeOf(commonCalls([counted({ tick: [1] }), counted({ tick: [0] })])).files).toBe(0);
  });
});

describe('the growth of a journey', () => {
  const recorded = { functions: 10, calls: 20, files: 5 };

  test('is each number that is larger than the recorded one', () => {
    expect(growth(recorded, recorded)).toEqual([]);
    expect(growth(recorded, { functions: 9, calls: 21, files: 6 })).toEqual([
      'calls: 21 instead of 20',
      'files: 6 instead of 5',
    ]);
  });

  test('is reported for a journey without recorded numbers', () => {
    expect(growth(undefined, recorded)).toHaveLength(1);
  });
});
