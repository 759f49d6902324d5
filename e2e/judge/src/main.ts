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
    /** A difference of the fresh cases fails the run. Without it they are only reported. */
    'fresh-decides': { type: 'boolean', default: false },
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

/** Runs the suites. Returns the names of those that have too many differences. */
async function runAll(sides: Sides, seed: number, count: number): Promise<readonly string[]> {
  const options: RunOptions = {
    seed,
    count,
    show: Number(values.show),
    words: values.words,
    print: (line) => console.log(line),
    onProgress: (line) => console.error(line),
  };
  const different: string[] = [];
  for (const suite of suites.filter(({ name }) => name.startsWith(values.suite))) {
    const { share } = await runSuite(sides, suite, options);
    if (share >= REQUIRED_SHARE) continue;
    different.push(suite.name);
    console.log(
      `!!! ${suite.name}: fewer than ${100 * REQUIRED_SHARE} % of the decisions are equal`,
    );
  }
  return different;
}

async function main(): Promise<boolean> {
  if (!(await hasGo())) {
    console.error("!!! SKIPPED: no Go on this machine, so Kubernetes' packages cannot be asked");
    return true;
  }
  await using judge = await Judge.start();
  await using server = await ServerInMemory.start();
  const fixed = await runAll({ judge, server }, Number(values.seed), Number(values.count));
  const count = Number(values.fresh);
  if (count === 0) return fixed.length === 0;
  const seed = randomInt(2 ** 31);
  console.log(`\nfresh seed: --seed ${seed} --count ${count}`);
  const fresh = await runAll({ judge, server }, seed, count);
  for (const suite of fresh) console.log(freshReport(suite, { seed, count }));
  return fixed.length === 0 && (fresh.length === 0 || !values['fresh-decides']);
}

/** `.ci/run` repeats the line at its end. */
function freshReport(suite: string, { seed, count }: Pick<RunOptions, 'seed' | 'count'>): string {
  const words = `--seed ${seed} --count ${count} --suite '${suite}'`;
  return `!!! FRESH SEED: the decisions about "${suite}" differ from those of Kubernetes: npm run e2e:judge -- ${words}`;
}

process.exitCode = (await main()) ? 0 : 1;
