import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { hasGo } from '@keelson/e2e-control-plane';
import { Judge } from './judge.ts';
import { runSuite, type RunOptions } from './run-suite.ts';
import { ServerInMemory } from './server-in-memory.ts';
import { definitionUpdates } from './suites/definition-updates.ts';
import { definitions } from './suites/definitions.ts';
import { expressions } from './suites/expressions.ts';
import { kinds } from './suites/kinds.ts';
import { objects, textValues } from './suites/objects.ts';
import { statuses } from './suites/statuses.ts';
import type { Sides, Suite } from './suites/suite.ts';
import { updates } from './suites/updates.ts';

const { values } = parseArgs({
  options: {
    /** The seed of the first case. */
    seed: { type: 'string', default: '1' },
    /** Number of cases of each suite. */
    count: { type: 'string', default: '1000' },
    /** Number of further cases of each suite, from a random seed that is printed. */
    fresh: { type: 'string', default: '0' },
    /** Runs only the suites whose name starts with this prefix. */
    suite: { type: 'string', default: '' },
    /** Number of differences that are printed, each as its smallest case. */
    show: { type: 'string', default: '5' },
    /** Also prints refusals for other causes. */
    words: { type: 'boolean', default: false },
  },
});

/** The share of equal decisions that each suite must reach. */
const REQUIRED_SHARE = 0.999;

const suites: readonly Suite<never>[] = [
  definitions,
  definitionUpdates,
  objects,
  textValues,
  updates,
  statuses,
  kinds,
  expressions,
] as never;

async function runAll(sides: Sides, seed: number, count: number): Promise<boolean> {
  const options: RunOptions = {
    seed,
    count,
    show: Number(values.show),
    words: values.words,
    print: (line) => console.log(line),
    onProgress: (line) => console.error(line),
  };
  let isWell = true;
  for (const suite of suites.filter(({ name }) => name.startsWith(values.suite))) {
    const { share } = await runSuite(sides, suite, options);
    if (share >= REQUIRED_SHARE) continue;
    isWell = false;
    console.log(
      `!!! ${suite.name}: fewer than ${100 * REQUIRED_SHARE} % of the decisions are equal`,
    );
  }
  return isWell;
}

async function main(): Promise<boolean> {
  if (!(await hasGo())) {
    console.error("!!! SKIPPED: no Go on this machine, so Kubernetes' packages cannot be asked");
    return true;
  }
  await using judge = await Judge.start();
  await using server = await ServerInMemory.start();
  const isWell = await runAll({ judge, server }, Number(values.seed), Number(values.count));
  const fresh = Number(values.fresh);
  if (fresh === 0) return isWell;
  const seed = randomInt(2 ** 31);
  console.log(`\nfresh seed: --seed ${seed} --count ${fresh}`);
  return (await runAll({ judge, server }, seed, fresh)) && isWell;
}

process.exitCode = (await main()) ? 0 : 1;
