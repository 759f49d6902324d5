import { describe, expect, test } from '@jest/globals';

import { parseModule } from './source-module.ts';

function moduleOf(text: string): ReturnType<typeof parseModule> {
  return parseModule({ path: 'packages/a/src/a.ts', text });
}

describe('imports', () => {
  test.each([
    [`import { a } from 'm';`, false],
    [`import 'm';`, false],
    [`import * as m from 'm';`, false],
    [`import { type A } from 'm';`, false],
    [`import type { A } from 'm';`, true],
    [`export * from 'm';`, false],
    [`export { a } from 'm';`, false],
    [`export type { A } from 'm';`, true],
    [`type A = import('m').A;`, true],
    [`async function f() { return import('m'); }`, false],
    [`import m = require('m');`, false],
    [`const m = require('m');`, false],
  ])('of %p are found with typeOnly %p', (text, typeOnly) => {
    expect(moduleOf(text).imports).toEqual([{ specifier: 'm', typeOnly }]);
  });

  test('of a computed dynamic import have no specifier', () => {
    expect(moduleOf('export const f = (m: string) => import(m);').imports).toEqual([
      { specifier: undefined, typeOnly: false },
    ]);
  });

  test('in strings and comments are ignored', () => {
    expect(moduleOf(`// import 'm';\nexport const a = "import 'm'";`).imports).toEqual([]);
  });
});

describe('exports', () => {
  test('are listed with their kind, sorted', () => {
    const text = `
      export { b, type C, d as e } from './b.ts';
      export type { F } from './f.ts';
      export * as g from './g.ts';
      export const h = 1, i = 2;
      export function j() {}
      export class K {}
      export interface L {}
      export type M = string;`;
    expect(moduleOf(text).exports).toEqual(
      ['b', 'type C', 'e', 'type F', 'g', 'h', 'i', 'j', 'K', 'type L', 'type M'].toSorted(),
    );
  });

  test('include star and default exports', () => {
    expect(moduleOf(`export * from './b.ts';`).exports).toEqual(['*']);
    expect(moduleOf('export default 1;').exports).toEqual(['default']);
  });
});

describe('test names', () => {
  test.each([
    [`test('WQ01 a', () => {});`, ['WQ01 a']],
    [`it('WQ01 a', () => {});`, ['WQ01 a']],
    ['test(`WQ01 a ${b} c`, () => {});', ['WQ01 a … c']],
    [`describe('x', () => { test('WQ01 a', () => {}); });`, ['WQ01 a']],
    [`test.each([1, 2])('WQ01 %p', () => {});`, ['WQ01 %p']],
    [`test.each([['WQ01 a', 1], ['WQ02 b', 2]])('%s!', () => {});`, ['WQ01 a!', 'WQ02 b!']],
    [`test.each(['WQ01 a', 'WQ02 b'] as const)('%s', () => {});`, ['WQ01 a', 'WQ02 b']],
    [`test.each<[string]>([['WQ01 a']])('%s', () => {});`, ['WQ01 a']],
    [`test.each([{ n: 1, name: 'WQ01 a' }])('$name', () => {});`, ['WQ01 a']],
    [`const rows = [['WQ01 a']]; test.each(rows)('%s', () => {});`, ['WQ01 a']],
    [`test.skip('WQ01 a', () => {});`, []],
    [`test.todo('WQ01 a');`, []],
    [`test.skip.each([1])('WQ01 a', () => {});`, []],
    [`describe('WQ01 a', () => {});`, []],
    [`/x/.test('WQ01 a');`, []],
    [`// test('WQ01 a', () => {});`, []],
  ])('of %p are %p', (text, names) => {
    expect(moduleOf(text).testNames).toEqual(names);
  });
});

describe('tables and strings', () => {
  test('are found inside as const and satisfies', () => {
    const { tables, strings } = moduleOf(
      `export const errors = { A_B: 'x', 'C': 'y' } as const satisfies object;`,
    );
    expect(tables).toEqual(new Map([['errors', ['A_B', 'C']]]));
    expect(strings).toEqual(new Set(['x', 'C', 'y']));
  });

  test('members are the names after a dot', () => {
    expect(moduleOf(`a.b.c = d['e'];`).members).toEqual(new Set(['b', 'c']));
  });
});
