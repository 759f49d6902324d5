import { readFileSync } from 'node:fs';
import type { CodeChange } from './sample.ts';

/** A change that leaves the behaviour as it is, so that no test can notice it. */
export interface Equivalent {
  readonly file: string;
  readonly mutator: string;
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

/** The entry of the list that matches a change, wherever in its file the change stands. */
export function equivalentOf(
  change: CodeChange,
  equivalents: readonly Equivalent[],
): Equivalent | undefined {
  return equivalents.find(
    ({ file, mutator, original, replacement }) =>
      file === change.file &&
      mutator === change.mutator &&
      original === change.original &&
      replacement === change.replacement,
  );
}
