import type { KubernetesObject } from '@keelson/apimachinery';
import { ageOf } from './human-duration.ts';

/** The types of a cell. */
export type Cell = string | number | bigint | boolean | null;

/** An object whose members are read without its type. A missing member results in an empty cell, not an error. */
export type Fields = KubernetesObject & Readonly<Record<string, unknown>>;

/** A column of a Table: its name, and a function that computes its cells. */
export interface Column {
  readonly name: string;
  readonly cell: (object: Fields, now: number) => Cell;
}

export function column(name: string, cell: Column['cell']): Column {
  return { name, cell };
}

/** The name of the object, first column of most tables. */
export const nameColumn: Column = column('Name', (object) => object.metadata?.name ?? '');

/** The age of the object. */
export const ageColumn: Column = column('Age', (object, now) =>
  ageOf(object.metadata?.creationTimestamp, now),
);

/** The creation time, for kinds without a printer. */
export const createdAtColumn: Column = column(
  'Created At',
  (object) => object.metadata?.creationTimestamp ?? '',
);

/** Returns the value at a path; `undefined` if a member is missing. */
export function at(object: unknown, ...path: readonly string[]): unknown {
  let value = object;
  for (const member of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.hasOwn(value, member) ? Reflect.get(value, member) : undefined;
  }
  return value;
}

/** Returns the list at a path; empty if it is missing. */
export function listAt(object: unknown, ...path: readonly string[]): readonly unknown[] {
  const value = at(object, ...path);
  return Array.isArray(value) ? value : [];
}

/** Returns the number at a path, or a default. */
export function numberAt(object: unknown, path: readonly string[], otherwise = 0): number {
  const value = at(object, ...path);
  return typeof value === 'number' ? value : otherwise;
}

/** Returns the string at a path, or a default. */
export function textAt(object: unknown, path: readonly string[], otherwise = ''): string {
  const value = at(object, ...path);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : otherwise;
}

/** Returns `<none>` for the empty string, as kubectl shows it. */
export function orNone(value: string): string {
  return value === '' ? '<none>' : value;
}
