import { describe, expect, test } from '@jest/globals';
import { isSampled, type CodeChange } from './sample.ts';

const changeAt = (line: number): CodeChange => ({
  file: 'packages/runtime/workqueue/src/queue/waiters.ts',
  line,
  column: 4,
  place: { within: '', line: '' },
  mutator: 'BooleanLiteral',
  original: 'true',
  replacement: 'false',
});

function selected(seed: number, oneIn: number): number[] {
  const lines = Array.from({ length: 2000 }, (_, line) => line);
  return lines.filter((line) => isSampled(changeAt(line), { seed, oneIn }));
}

describe('isSampled', () => {
  test('selects every change for one in one', () => {
    expect(selected(1, 1)).toHaveLength(2000);
  });

  test('selects about one change in ten', () => {
    expect(selected(1, 10).length).toBeGreaterThan(150);
    expect(selected(1, 10).length).toBeLessThan(250);
  });

  test('selects the same changes for the same seed and others for another', () => {
    expect(selected(1, 10)).toEqual(selected(1, 10));
    expect(selected(1, 10)).not.toEqual(selected(2, 10));
  });
});
