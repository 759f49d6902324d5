import { describe, expect, test } from '@jest/globals';

import { findFolderCycles } from './source-folder.ts';
import { parseModule, type SourceModule } from '../sources/source-module.ts';

const packages = [
  { name: '@keelson/a', folder: 'packages/a', dependencies: [], devDependencies: [] },
];

function modulesOf(files: Record<string, string>): SourceModule[] {
  return Object.entries(files).map(([path, text]) => parseModule({ path, text }));
}

const cyclesOf = (files: Record<string, string>): string[] =>
  findFolderCycles({ modules: modulesOf(files), packages });

describe('findFolderCycles', () => {
  test('accepts folders that import in one direction, and an index.ts that exports from all', () => {
    const files = {
      'packages/a/src/index.ts': `export { b } from './up/b.ts'; export const a = 1;`,
      'packages/a/src/up/b.ts': `import { c } from '../down/c.ts'; export const b = c;`,
      'packages/a/src/down/c.ts': `import { d } from '../d.ts'; export const c = d;`,
      'packages/a/src/d.ts': 'export const d = 1;',
      'packages/a/src/down/c.test.ts': `import { b } from '../up/b.ts';`,
    };
    expect(cyclesOf(files)).toEqual([]);
  });

  test('finds two folders that import each other through different files', () => {
    const files = {
      'packages/a/src/one/a.ts': `import type { B } from '../two/b.ts'; export type A = B;`,
      'packages/a/src/one/c.ts': 'export const c = 1;',
      'packages/a/src/two/b.ts': 'export type B = 1;',
      'packages/a/src/two/d.ts': `import { c } from '../one/c.ts'; export const d = c;`,
      'packages/a/src/three/e.ts': `import { c } from '../one/c.ts'; export const e = c;`,
    };
    expect(cyclesOf(files)).toEqual([
      'packages/a/src/one imports packages/a/src/two on a cycle: packages/a/src/one/a.ts imports packages/a/src/two/b.ts',
      'packages/a/src/two imports packages/a/src/one on a cycle: packages/a/src/two/d.ts imports packages/a/src/one/c.ts',
    ]);
  });

  test('finds a folder and its subfolder, and a cycle over three folders', () => {
    expect(
      cyclesOf({
        'packages/a/src/one/a.ts': `import '../one/deep/b.ts';`,
        'packages/a/src/one/deep/b.ts': `import '../c.ts';`,
      }),
    ).toHaveLength(2);
    expect(
      cyclesOf({
        'packages/a/src/one/a.ts': `import '../two/a.ts';`,
        'packages/a/src/two/b.ts': `import '../three/a.ts';`,
        'packages/a/src/three/c.ts': `import '../one/b.ts';`,
      }),
    ).toHaveLength(3);
  });
});
