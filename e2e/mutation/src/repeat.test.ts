import { resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { MutantResult } from '@stryker-mutator/api/core';
import { identityOf, linesOf, timedOut, withRepeated } from './repeat.ts';
import { isSampled, type CodeChange } from './sample.ts';
import { reportLines, scoreOf } from './score.ts';

const file = 'packages/runtime/workqueue/src/queue/waiters.ts';

function resultAt(line: number, status: MutantResult['status']): MutantResult {
  return {
    id: String(line),
    fileName: resolve(file),
    location: { start: { line, column: 5 }, end: { line: line + 1, column: 2 } },
    mutatorName: 'BooleanLiteral',
    replacement: 'false',
    status,
  };
}

describe('withRepeated', () => {
  const first = [resultAt(1, 'Killed'), resultAt(5, 'Timeout'), resultAt(9, 'Timeout')];

  test('counts a change that took too long at first by what it does alone', () => {
    const repeated = [resultAt(5, 'Survived'), resultAt(9, 'Timeout'), resultAt(1, 'CompileError')];
    const results = withRepeated(first, repeated);
    expect(results.map(({ status }) => status)).toEqual(['Killed', 'Survived', 'Timeout']);
    expect(reportLines(scoreOf(results), timedOut(first).length).slice(-3)).toEqual([
      'took too long: 2 at first, 1 of them again when run alone',
      'changes noticed by a test that failed: 1 of 3 (33.3 %)',
      'with those that took too long twice: 2 of 3 (66.7 %)',
    ]);
  });

  test('selects exactly the changes that took too long', () => {
    const slow = timedOut(first);
    const only = slow.map(identityOf);
    const change: CodeChange = {
      file,
      line: 4,
      column: 4,
      mutator: 'BooleanLiteral',
      original: 'true',
      replacement: 'false',
      place: { within: '', line: '' },
    };
    expect(linesOf(slow)).toEqual([`${file}:5-6`, `${file}:9-10`]);
    expect(isSampled(change, { seed: 1, oneIn: 1, only })).toBe(true);
    expect(isSampled({ ...change, line: 0 }, { seed: 1, oneIn: 1, only })).toBe(false);
    expect(isSampled({ ...change, replacement: '' }, { seed: 1, oneIn: 1, only })).toBe(false);
  });
});
