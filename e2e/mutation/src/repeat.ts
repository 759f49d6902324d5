import { relative } from 'node:path';
import type { MutantResult } from '@stryker-mutator/api/core';
import type { ChangeIdentity } from './sample.ts';

/** Returns the changes whose tests timed out. On a busy machine a timeout is not a result. */
export function timedOut(results: readonly MutantResult[]): readonly MutantResult[] {
  return results.filter(({ status }) => status === 'Timeout');
}

/** Results count lines and columns from 1, the changes of a sample from 0. */
export function identityOf(result: MutantResult): ChangeIdentity {
  const { line, column } = result.location.start;
  return {
    file: relative(process.cwd(), result.fileName),
    line: line - 1,
    column: column - 1,
    mutator: result.mutatorName,
    replacement: result.replacement ?? '',
  };
}

/** The lines of the changes as Stryker takes them. Other changes of the same lines are not selected. */
export function linesOf(results: readonly MutantResult[]): string[] {
  const ranges = results.map(({ fileName, location: { start, end } }) => {
    return `${relative(process.cwd(), fileName)}:${start.line}-${end.line}`;
  });
  return [...new Set(ranges)];
}

/** The first results, with those of the changes that ran again in the place of their first ones. */
export function withRepeated(
  first: readonly MutantResult[],
  repeated: readonly MutantResult[],
): readonly MutantResult[] {
  // The second run lists the other changes of the same lines too, as not sampled.
  const again = new Map(repeated.filter(wasRun).map((result) => [keyOf(result), result]));
  return first.map((result) => (wasRun(result) && again.get(keyOf(result))) || result);
}

function keyOf(result: MutantResult): string {
  return JSON.stringify(identityOf(result));
}

function wasRun({ status }: MutantResult): boolean {
  return status !== 'CompileError' && status !== 'Ignored';
}
