import { createHash } from 'node:crypto';

/** One small change of the code. `original` and `replacement` are source text. */
export interface CodeChange {
  /** Path from the root of the repository. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The text of the line, and the nearest line above that is indented less. */
  readonly place: { readonly within: string; readonly line: string };
  readonly mutator: string;
  readonly original: string;
  readonly replacement: string;
}

/** The parts of a change that identify it. Line and column count from 0. */
export type ChangeIdentity = Pick<
  CodeChange,
  'file' | 'line' | 'column' | 'mutator' | 'replacement'
>;

/** Selects a repeatable part of all changes: about one in `oneIn`, decided by `seed`. */
export interface Sample {
  readonly seed: number;
  readonly oneIn: number;
  /** Selects exactly these changes instead. */
  readonly only?: readonly ChangeIdentity[];
}

/** True if the change is part of the sample. The same change and seed always give the same result. */
export function isSampled(change: CodeChange, { seed, oneIn, only }: Sample): boolean {
  if (only !== undefined) return only.some((other) => identityText(other) === identityText(change));
  const { file, line, column, mutator, replacement } = change;
  const text = JSON.stringify([seed, file, line, column, mutator, replacement]);
  return createHash('sha256').update(text).digest().readUInt32BE() % oneIn === 0;
}

function identityText({ file, line, column, mutator, replacement }: ChangeIdentity): string {
  return JSON.stringify([file, line, column, mutator, replacement]);
}
