import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { withFigures } from './readme-figures.ts';

const read = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../../${path}`, import.meta.url)), 'utf8');

describe('the figures of README', () => {
  const readme = read('README.md');
  const performance = read('docs/performance.md');

  test('are those of docs/performance.md (npm run docs:snippets)', () => {
    expect(readme).toContain('| 50 000 pods listed, cached and delivered to a handler |');
    expect(withFigures(readme, performance)).toBe(readme);
  });

  test('are the recorded medians with short units', () => {
    const changed = performance
      .replace(/^\| `list.50000` .*$/m, '| `list.50000` | ms | 1 249 (1–2) | 987.6 (1–2) | – |')
      .replace(
        /^\| `watch.burst` .*$/m,
        '| `watch.burst` | events/s | 12 345 (1–2) | 9 876 (1) | – |',
      );
    const updated = withFigures(readme, changed);
    expect(updated).toContain(
      '| 50 000 pods listed, cached and delivered to a handler | 1.2 s | 988 ms |',
    );
    expect(updated).toContain('| 12 000 a second | 9 900 a second |');
  });

  test('throws for a missing row', () => {
    expect(() => withFigures(readme, '')).toThrow('docs/performance.md has no row list.50000');
  });
});
