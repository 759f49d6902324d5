import { describe, expect, test } from '@jest/globals';

import { readDeclarationFile } from './declaration-file.ts';
import { printSignatureReport } from './signature-report.ts';

/** Prints the report of `packages/a/src/index.ts` for sources by their names. */
function reportOf(sources: Readonly<Record<string, string>>): string {
  const folder = 'packages/a/src/';
  return printSignatureReport(`${folder}index.ts`, (module) => {
    const text = sources[module.replace(folder, '')];
    return text === undefined ? undefined : readDeclarationFile({ path: module, text });
  });
}

const queue = `
  import type { Duration } from '@keelson/apimachinery';
  import type { Item } from './item.ts';

  /** A queue. */
  export class Queue {
    #items: Item[] = [];
    /** Adds an item. */
    add(item: Item, after?: Duration): void {
      this.#items.push(item);
    }
  }
  export const unused: number = 1;
`;
const item = `
  export interface Item { readonly key: Key; readonly kinds: number }
  type Key = string;
  type kinds = 'not a reference';
`;

describe('signature report', () => {
  test('has the exports, the declarations that they refer to, and no comments', () => {
    expect(
      reportOf({
        'index.ts': `export { Queue } from './queue.ts'; export { parse } from '@keelson/other';`,
        'queue.ts': queue,
        'item.ts': item,
      }),
    ).toBe(`import { Duration } from '@keelson/apimachinery';

export { parse } from '@keelson/other';

declare class Queue {
    #private;
    add(item: Item, after?: Duration): void;
}

// Not exported

interface Item {
    readonly key: Key;
    readonly kinds: number;
}

type Key = string;
`);
  });

  test('has every overload, the name of an export that is renamed, and what the entry module declares', () => {
    const report = reportOf({
      'index.ts': `export { read as load } from './read.ts'; export type Name = string;`,
      'read.ts': `
        export function read(text: string): string;
        export function read(bytes: number[]): number[];
        export function read(value: unknown): unknown { return value; }
      `,
    });
    expect(report).toContain('type Name = string;');
    expect(report).toContain(
      '// As load\ndeclare function read(text: string): string;\ndeclare function read(bytes: number[]): number[];',
    );
  });

  test('changes with a type behind a re-export, and not with a body or a comment', () => {
    const sources = {
      'index.ts': `export { limit } from './door.ts';`,
      'door.ts': `export { limit } from './limit.ts';`,
      'limit.ts': 'export function limit(by: number): number { return by; }',
    };
    const before = reportOf(sources);
    const body = '/** Limits. */ export function limit(by: number): number { return by + 1; }';
    expect(reportOf({ ...sources, 'limit.ts': body })).toBe(before);
    const type = 'export function limit(by: bigint): number { return Number(by); }';
    expect(reportOf({ ...sources, 'limit.ts': type })).not.toBe(before);
  });

  test('throws for a name that no module declares', () => {
    const sources = {
      'index.ts': `export { a } from './b.ts';`,
      'b.ts': 'export const c: number = 1;',
    };
    expect(() => reportOf(sources)).toThrow('packages/a/src/b.ts does not declare a');
  });

  test('throws for a source without explicit types', () => {
    expect(() => reportOf({ 'index.ts': 'export const a = new Map();' })).toThrow();
  });
});
