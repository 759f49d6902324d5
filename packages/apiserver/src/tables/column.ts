import type { KubernetesObject } from '@keelson/apimachinery';
import { ageOf } from './human-duration.ts';

/** What a cell may hold. */
export type Cell = string | number | boolean | null;

/**
 * An object whose members are read without knowing its kind. Printing is a reader of whatever is
 * there: a missing member is an empty cell, never an error.
 */
export type Fields = KubernetesObject & Readonly<Record<string, unknown>>;

/** One column of a Table and how its cells are made. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  /** Shown only by `-o wide` (priority 1). */
  readonly wide?: boolean;
  cell(object: Fields, now: number): Cell;
}

type Value = (object: Fields, now: number) => Cell;

/** A column of text. */
export function text(name: string, cell: Value): Column {
  return { name, type: 'string', cell };
}

/** A column of whole numbers. */
export function integer(name: string, cell: Value): Column {
  return { name, type: 'integer', cell };
}

/** A column of truth values. */
export function truth(name: string, cell: Value): Column {
  return { name, type: 'boolean', cell };
}

/** The same column, shown only by `-o wide`. */
export function wide(column: Column): Column {
  return { ...column, wide: true };
}

/** The first column of nearly every table. */
export const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name must be unique within a namespace.',
  cell: (object) => object.metadata?.name ?? '',
};

/** How old the object is. */
export const ageColumn: Column = {
  ...text('Age', (object, now) => ageOf(object.metadata?.creationTimestamp, now)),
  description: 'The time since the object was created.',
};

/** When the object was made, for the kinds that have no printer of their own. */
export const createdAtColumn: Column = {
  name: 'Created At',
  type: 'date',
  cell: (object) => object.metadata?.creationTimestamp ?? '',
};

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
