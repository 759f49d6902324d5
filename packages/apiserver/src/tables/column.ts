import type { KubernetesObject } from '@keelson/apimachinery';
import { ageOf } from './human-duration.ts';

/** What a cell may hold. */
export type Cell = string | number | bigint | boolean | null;

/**
 * An object whose members are read without knowing its kind. Printing is a reader of whatever is
 * there: a missing member is an empty cell, never an error.
 */
export type Fields = KubernetesObject & Readonly<Record<string, unknown>>;

/** One column of a Table: what it is called and how its cells are made. */
export interface Column {
  readonly name: string;
  readonly cell: (object: Fields, now: number) => Cell;
}

export function column(name: string, cell: Column['cell']): Column {
  return { name, cell };
}

/** The first column of nearly every table. */
export const nameColumn: Column = column('Name', (object) => object.metadata?.name ?? '');

/** How old the object is. */
export const ageColumn: Column = column('Age', (object, now) =>
  ageOf(object.metadata?.creationTimestamp, now),
);

/** When the object was made, for the kinds that have no printer of their own. */
export const createdAtColumn: Column = column(
  'Created At',
  (object) => object.metadata?.creationTimestamp ?? '',
);

/** The value at a path of members, `undefined` where one is missing. */
export function at(object: unknown, ...path: readonly string[]): unknown {
  let value = object;
  for (const member of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.hasOwn(value, member) ? Reflect.get(value, member) : undefined;
  }
  return value;
}

/** The list at a path, empty where there is none. */
export function listAt(object: unknown, ...path: readonly string[]): readonly unknown[] {
  const value = at(object, ...path);
  return Array.isArray(value) ? value : [];
}

/** The number at a path, or another one where there is none. */
export function numberAt(object: unknown, path: readonly string[], otherwise = 0): number {
  const value = at(object, ...path);
  return typeof value === 'number' ? value : otherwise;
}

/** The text at a path, or another one where there is none. */
export function textAt(object: unknown, path: readonly string[], otherwise = ''): string {
  const value = at(object, ...path);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : otherwise;
}

/** `<none>` for an empty text, as kubectl shows it. */
export function orNone(value: string): string {
  return value === '' ? '<none>' : value;
}
