import { parseArgs } from 'node:util';
import type { MutantResult } from '@stryker-mutator/api/core';
import { Stryker } from '@stryker-mutator/core';
import { identityOf, linesOf, timedOut, withRepeated } from './repeat.ts';
import { firstRunLine, reportLines, scoreOf } from './score.ts';
import { strykerOptions, type MutationRun } from './stryker-options.ts';

const usage = `npm run mutation -- PACKAGE [FILE …] [--seed N] [--one-in N]

  PACKAGE      a folder of packages/: workqueue, informer, manager, …
  FILE         paths below its src; default all
  --seed N     which changes are sampled; default 1
  --one-in N   the size of the sample; default 10, 1 = every change`;

/** A whole number of at least 1, or an error that names the option. */
function wholeNumber(option: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new Error(`--${option} takes a whole number of at least 1, not '${text}'\n\n${usage}`);
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seed: { type: 'string', default: '1' },
      'one-in': { type: 'string', default: '10' },
      help: { type: 'boolean', default: false },
    },
  });
  const [name, ...files] = positionals;
  if (values.help || name === undefined) return console.log(usage);
  const seed = wholeNumber('seed', values.seed);
  const oneIn = wholeNumber('one-in', values['one-in']);
  process.chdir(new URL('../../..', import.meta.url).pathname);
  const run = { name, files, seed, oneIn };
  const first = await new Stryker(strykerOptions(run)).runMutationTest();
  const slow = timedOut(first);
  // Printed before the second run, which can fail as a whole when a test ends the process.
  if (slow.length > 0) console.log(firstRunLine(scoreOf(first)));
  const results = slow.length === 0 ? first : withRepeated(first, await runAlone(run, slow));
  for (const line of reportLines(scoreOf(results), slow.length)) console.log(line);
}

/** Runs changes again, one at a time: what takes too long then is not the fault of the machine. */
function runAlone(run: MutationRun, slow: readonly MutantResult[]): Promise<MutantResult[]> {
  console.log(`again, one at a time: ${slow.length} changes that took too long`);
  const alone = { ...run, only: slow.map(identityOf) };
  const options = { ...strykerOptions(alone), mutate: linesOf(slow), concurrency: 1 };
  return new Stryker(options).runMutationTest();
}

await main();
