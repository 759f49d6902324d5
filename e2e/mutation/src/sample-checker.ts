import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { CheckStatus, type Checker, type CheckResult } from '@stryker-mutator/api/check';
import type { Mutant, StrykerOptions } from '@stryker-mutator/api/core';
import {
  commonTokens,
  declareClassPlugin,
  PluginKind,
  type Plugin,
} from '@stryker-mutator/api/plugin';
import { equivalentOf, placeOf, readEquivalents, type Equivalent } from './equivalents.ts';
import { isSampled, type CodeChange, type Sample } from './sample.ts';

/** Name under which Stryker's options refer to the checker. */
const name = 'sample';

/** The text of a file between two positions as Stryker counts them: lines and columns from 0. */
function textAt(file: string, { start, end }: Mutant['location']): string {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .slice(start.line, end.line + 1);
  const last = lines.length - 1;
  lines[last] = (lines[last] ?? '').slice(0, end.column);
  lines[0] = (lines[0] ?? '').slice(start.column);
  return lines.join('\n');
}

/**
 * Keeps a run short: Stryker asks it about every mutant and runs only those of the sample. A mutant that is
 * not sampled, or known to be equivalent, counts as invalid and stays out of the score.
 */
class SampleChecker implements Checker {
  static readonly inject: [typeof commonTokens.options] = [commonTokens.options];
  readonly #sample: Sample;
  readonly #equivalents: readonly Equivalent[] = readEquivalents();

  constructor(options: StrykerOptions) {
    this.#sample = options['sample'] as Sample;
  }

  async init(): Promise<void> {}

  async check(mutants: Mutant[]): Promise<Record<string, CheckResult>> {
    return Object.fromEntries(mutants.map((mutant) => [mutant.id, this.#resultFor(mutant)]));
  }

  #resultFor(mutant: Mutant): CheckResult {
    const change = changeOf(mutant);
    if (!isSampled(change, this.#sample)) return skip('not sampled');
    const equivalent = equivalentOf(change, this.#equivalents);
    return equivalent === undefined ? { status: CheckStatus.Passed } : skip(equivalent.reason);
  }
}

function skip(reason: string): CheckResult {
  return { status: CheckStatus.CompileError, reason };
}

function changeOf({ fileName, location, mutatorName, replacement }: Mutant): CodeChange {
  return {
    file: relative(process.cwd(), fileName),
    line: location.start.line,
    column: location.start.column,
    place: placeOf(readFileSync(fileName, 'utf8').split('\n'), location.start.line),
    mutator: mutatorName,
    original: textAt(fileName, location),
    replacement,
  };
}

/** Stryker looks for this name in a plugin. */
export const strykerPlugins: readonly Plugin<PluginKind>[] = [
  declareClassPlugin(PluginKind.Checker, name, SampleChecker),
];
