import { describe, expect, test } from '@jest/globals';

import { doorOf, printExportList } from './export-list.ts';
import { parseModule } from '../sources/source-module.ts';

const path = 'packages/a/src/index.ts';

describe('export lists', () => {
  test('name every value and type in one order', () => {
    const door = parseModule({
      path,
      text: `export { b, type A } from './b.ts'; export class C {}`,
    });
    expect(printExportList(door)).toBe('C\nb\ntype A\n');
    expect(doorOf('packages/a', [door])).toBe(door);
  });

  test('change when a name comes, goes, or turns from a value into a type', () => {
    const lists = [
      `export { a } from './a.ts';`,
      `export { a, b } from './a.ts';`,
      `export type { a } from './a.ts';`,
    ].map((text) => printExportList(parseModule({ path, text })));
    expect(new Set(lists).size).toBe(3);
  });

  test('need a door', () => {
    expect(() => doorOf('packages/a', [])).toThrow('packages/a has no src/index.ts');
  });
});
