import { describe, expect, test } from '@jest/globals';

import { findImportCycles } from './import-cycle.ts';
import { parseModule } from '../sources/source-module.ts';

const packages = [
  { name: '@keelson/a', folder: 'packages/a', dependencies: [], devDependencies: [] },
  { name: '@keelson/b', folder: 'packages/b', dependencies: [], devDependencies: [] },
];

function cyclesOf(files: Record<string, string>): string[][] {
  const modules = Object.entries(files).map(([path, text]) => parseModule({ path, text }));
  return findImportCycles({ modules, packages });
}

describe('findImportCycles', () => {
  test('accepts a tree, and two branches that import one module', () => {
    const files = {
      'packages/a/src/index.ts': `export { b } from './b.ts'; export { c } from './c.ts';`,
      'packages/a/src/b.ts': `import { c } from './c.ts'; export const b = c;`,
      'packages/a/src/c.ts': 'export const c = 1;',
    };
    expect(cyclesOf(files)).toEqual([]);
  });

  test('finds a cycle through a type import', () => {
    const files = {
      'packages/a/src/a.ts': `import { b } from './b.ts'; export type A = typeof b;`,
      'packages/a/src/b.ts': `import type { A } from './a.ts'; export const b: A = 1;`,
    };
    expect(cyclesOf(files)).toEqual([
      ['packages/a/src/a.ts', 'packages/a/src/b.ts', 'packages/a/src/a.ts'],
    ]);
  });

  test('finds a cycle through an import type and a dynamic import', () => {
    const files = {
      'packages/a/src/a.ts': `export type A = import('./b.ts').B;`,
      'packages/a/src/b.ts': `export type B = 1; export const load = () => import('./a.ts');`,
    };
    expect(cyclesOf(files)).toHaveLength(1);
  });

  test('finds a cycle over two packages', () => {
    const files = {
      'packages/a/src/index.ts': `export { a } from './a.ts';`,
      'packages/a/src/a.ts': `import { b } from '@keelson/b'; export const a = b;`,
      'packages/b/src/index.ts': `import type { A } from '@keelson/a'; export const b: A = 1;`,
    };
    expect(cyclesOf(files)).toEqual([
      [
        'packages/a/src/index.ts',
        'packages/a/src/a.ts',
        'packages/b/src/index.ts',
        'packages/a/src/index.ts',
      ],
    ]);
  });

  test('finds a module that imports itself', () => {
    expect(cyclesOf({ 'packages/a/src/a.ts': `import './a.ts';` })).toHaveLength(1);
  });

  test('finds two cycles that share a module', () => {
    const files = {
      'packages/a/src/a.ts': `import './b.ts'; import './c.ts';`,
      'packages/a/src/b.ts': `import './a.ts';`,
      'packages/a/src/c.ts': `import './a.ts';`,
    };
    expect(cyclesOf(files)).toHaveLength(2);
  });
});
