import { describe, expect, test } from '@jest/globals';

import { entryPointsOf, printExportList } from './export-list.ts';
import { parseModule } from '../sources/source-module.ts';

const path = 'packages/a/src/index.ts';

describe('export lists', () => {
  test('list every value and type in sorted order', () => {
    const door = parseModule({
      path,
      text: `export { b, type A } from './b.ts'; export class C {}`,
    });
    expect(printExportList(door)).toBe('C\nb\ntype A\n');
    const sources = parseModule({ path: 'packages/a/src/entry-points/sources.ts', text: '' });
    expect(entryPointsOf('packages/a', [door, sources])).toEqual([
      { name: 'a', module: door },
      { name: 'a-sources', module: sources },
    ]);
  });

  test('change if a name is added, removed, or changed from a value to a type', () => {
    const lists = [
      `export { a } from './a.ts';`,
      `export { a, b } from './a.ts';`,
      `export type { a } from './a.ts';`,
    ].map((text) => printExportList(parseModule({ path, text })));
    expect(new Set(lists).size).toBe(3);
  });

  test('throw for a package without src/index.ts', () => {
    expect(() => entryPointsOf('packages/a', [])).toThrow('packages/a has no src/index.ts');
  });
});
