import { readFileSync } from 'node:fs';
import type { CodeChange } from './sample.ts';

/** A change that leaves the behaviour as it is, so that no test can notice it. */
export interface Equivalent {
  readonly file: string;
  readonly mutator: string;
  /** The nearest line above that is indented less, trimmed; empty at the top level. */
  readonly within: string;
  /** The line in which the change begins, trimmed. */
  readonly line: string;
  readonly original: string;
  readonly replacement: string;
  /** Why the behaviour stays the same. */
  readonly reason: string;
}

/** Reads the checked-in list of equivalent changes. */
export function readEquivalents(): readonly Equivalent[] {
  const path = new URL('../data/equivalents.json', import.meta.url);
  return JSON.parse(readFileSync(path, 'utf8')) as readonly Equivalent[];
}

/** The entry of the list for a change at its place in the file. */
export function equivalentOf(
  change: CodeChange,
  equivalents: readonly Equivalent[],
): Equivalent | undefined {
  return equivalents.find(
    ({ file, mutator, within, line, original, replacement }) =>
      file === change.file &&
      mutator === change.mutator &&
      original === change.original &&
      replacement === change.replacement &&
      line === change.place.line &&
      within === change.place.within,
  );
}

/** The place of a line of a file, as entries of the list name it. */
export function placeOf(lines: readonly string[], at: number): CodeChange['place'] {
  const line = lines[at] ?? '';
  const isOuter = (other: string): boolean =>
    other.trim() !== '' && indentOf(other) < indentOf(line);
  const within = lines.slice(0, at).findLast(isOuter) ?? '';
  return { within: within.trim(), line: line.trim() };
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
