import { describe, expect, test } from '@jest/globals';

import { findStyleProblems } from './house-style.ts';
import { parseModule } from '../sources/source-module.ts';

function problems(path: string, text: string): string[] {
  return findStyleProblems([parseModule({ path, text })]);
}

describe('findStyleProblems', () => {
  test.each([
    ['packages/a/src/store.ts', `export { a } from './a.ts'; export class Store {}`],
    ['packages/a/src/wire-types.ts', 'export type A = 1;'],
    ['packages/a/src/loaded.ts', `export type A = typeof import('./lazy.ts');`],
  ])('accepts %s', (path, text) => {
    expect(problems(path, text)).toEqual([]);
  });

  test.each([
    [
      'packages/a/src/utils.ts',
      'export const a = 1;',
      'has a name that says nothing about its contents',
    ],
    [
      'packages/a/src/deep/types.ts',
      'export type A = 1;',
      'has a name that says nothing about its contents',
    ],
    ['packages/a/src/store.ts', 'export default class {}', 'has a default export'],
    ['packages/a/src/store.ts', `export { a as default } from './a.ts';`, 'has a default export'],
    ['packages/a/src/store.ts', `export * from './a.ts';`, 'has a star export'],
    [
      'packages/a/src/store.ts',
      `export type A = import('./a.ts').A;`,
      'imports ./a.ts within a type, and needs an import declaration',
    ],
  ])('reports %s: %p', (path, text, problem) => {
    expect(problems(path, text)).toEqual([`${path} ${problem}`]);
  });
});
