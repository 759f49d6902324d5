import { describe, expect, test } from '@jest/globals';
import { LogLines } from './supervisor.ts';

describe('LogLines', () => {
  test('joins chunks into lines and keeps the unfinished line', () => {
    const lines = new LogLines();
    lines.add('a\nb');
    lines.add('c\nd');
    expect(String(lines)).toBe('a\nbc\nd');
  });

  test('drops the oldest lines beyond the limit', () => {
    const lines = new LogLines();
    for (let index = 0; index < 1000; index++) lines.add(`${index}\n`);
    expect(String(lines).split('\n')).toHaveLength(200);
    expect(String(lines)).toMatch(/^800\n/);
  });
});
