import { describe, expect, test } from '@jest/globals';

import { findForbiddenImports, kindModuleLoader, parseArrowTable } from './arrow.ts';
import { parseModule } from '../sources/source-module.ts';

const table = parseArrowTable(`
| package | purpose | may import |
|---|---|---|
| \`@keelson/base\` | The \`base\`. | nothing |
| \`@keelson/top\` | The top. | base, side |
| \`@keelson/side\` | The side. | base |
`);

function manifest(name: string, dependencies: string[], devDependencies: string[] = []) {
  return { name: `@keelson/${name}`, folder: `packages/${name}`, dependencies, devDependencies };
}

const packages = [
  manifest('base', ['@kubernetes/client-node']),
  manifest('top', ['@keelson/base', 'undici'], ['@keelson/side']),
  manifest('side', ['@keelson/base', '@keelson/top']),
  { ...manifest('cli', []), folder: 'packages/toolkit/cli' },
];

function problems(path: string, text: string): string[] {
  const modules = [parseModule({ path, text })];
  return findForbiddenImports({ packages, modules, rootDevDependencies: ['fast-check'] }, table);
}

describe('parseArrowTable', () => {
  test('reads the packages and their permitted imports', () => {
    expect([...table]).toEqual([
      ['@keelson/base', []],
      ['@keelson/top', ['@keelson/base', '@keelson/side']],
      ['@keelson/side', ['@keelson/base']],
    ]);
  });
});

describe('findForbiddenImports', () => {
  test('permits computed imports of the loader of kind modules, and only these', () => {
    expect(problems(kindModuleLoader, 'await import(name);')).toEqual([]);
    const undrawn = `await import('@keelson/base');`;
    expect(problems(kindModuleLoader, undrawn)).toHaveLength(1);
  });

  test.each([
    ['packages/top/src/a.ts', `import { b } from '@keelson/base';`],
    ['packages/top/src/a.ts', `import { request } from 'undici'; import 'node:fs';`],
    ['packages/top/src/a.ts', `import './b.ts'; import './deep/c.ts';`],
    ['packages/top/src/a.test.ts', `import '@keelson/side'; import 'fast-check';`],
    ['packages/top/bench/a.ts', `import '@keelson/top';`],
    ['packages/top/bench/a.ts', `import '@keelson/side'; import '../src/a.test-support.ts';`],
    ['packages/base/src/a.ts', `import type { V1Pod } from '@kubernetes/client-node';`],
    ['packages/base/src/a.test.ts', `import 'node:fs';`],
    ['examples/x/a.ts', `import '@keelson/anything'; import '../../packages/top/src/a.ts';`],
  ])('permits in %s: %p', (path, text) => {
    expect(problems(path, text)).toEqual([]);
  });

  test.each([
    [
      'packages/side/src/a.ts',
      `import type { A } from '@keelson/top';`,
      'imports @keelson/top, an arrow that docs/architecture.md does not draw',
    ],
    [
      'packages/top/src/a.ts',
      `import { s } from '@keelson/side';`,
      'imports @keelson/side, which its package.json does not list',
    ],
    [
      'packages/top/src/a.ts',
      `import '@keelson/top';`,
      'imports @keelson/top, which its package.json does not list',
    ],
    [
      'packages/top/src/a.ts',
      `import 'fast-check';`,
      'imports fast-check, which its package.json does not list',
    ],
    [
      'packages/side/src/a.test.ts',
      `import 'undici/deep';`,
      'imports undici, which its package.json does not list',
    ],
    [
      'packages/top/src/a.ts',
      `import { b } from '@keelson/base/src/b.ts';`,
      'imports @keelson/base/src/b.ts, an arrow that docs/architecture.md does not draw',
    ],
    [
      'packages/top/src/a.ts',
      `export * from '../../side/src/a.ts';`,
      'reaches out of its package to packages/side/src/a.ts',
    ],
    [
      'packages/top/src/a.ts',
      `import './b.test.ts';`,
      'imports the test packages/top/src/b.test.ts',
    ],
    [
      'packages/top/src/a.ts',
      'export const load = (name: string) => import(name);',
      'has a computed import',
    ],
    [
      'packages/base/src/a.ts',
      `import 'node:fs';`,
      'imports node:fs at run time, and its package may import nothing',
    ],
    [
      'packages/base/src/a.ts',
      `import { type V1Pod } from '@kubernetes/client-node';`,
      'imports @kubernetes/client-node at run time, and its package may import nothing',
    ],
  ])('reports in %s: %p', (path, text, problem) => {
    expect(problems(path, text)).toEqual([`${path} ${problem}`]);
  });
});
