import { parseArgs } from 'node:util';
import * as fc from 'fast-check';
import { hasGo } from '@keelson/e2e-control-plane';
import { smallestCase } from './comparison/smallest-case.ts';
import { Tally } from './comparison/tally.ts';
import type { Agreement, Verdict } from './comparison/verdict.ts';
import { Judge } from './judge.ts';
import { ServerInMemory } from './server-in-memory.ts';
import { definitionUpdates } from './suites/definition-updates.ts';
import { definitions } from './suites/definitions.ts';
import { kinds } from './suites/kinds.ts';
import { objects, textValues } from './suites/objects.ts';
import { statuses } from './suites/statuses.ts';
import type { Sides, Suite } from './suites/suite.ts';
import { updates } from './suites/updates.ts';

const { values } = parseArgs({
  options: {
    /** The first seed. Each case has a seed of its own: this one, the next, and so on. */
    seed: { type: 'string', default: '1' },
    /** Number of cases of each suite. */
    count: { type: 'string', default: '1000' },
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

/** Cases that are decided at the same time. */
const BATCH = 20;

const suites: readonly Suite<never>[] = [
  definitions,
  definitionUpdates,
  objects,
  textValues,
  updates,
  statuses,
  kinds,
] as never;

async function run<Case>(sides: Sides, suite: Suite<Case>): Promise<boolean> {
  const [first, count, show] = [values.seed, values.count, values.show].map(Number) as [
    number,
    number,
    number,
  ];
  const tally = new Tally();
  const found: { readonly seed: number; readonly each: Case; readonly agreement: Agreement }[] = [];
  let told = performance.now();
  for (let seed = first; seed < first + count; seed += BATCH) {
    const seeds = Array.from(
      { length: Math.min(BATCH, first + count - seed) },
      (_, index) => seed + index,
    );
    const results = await Promise.all(
      seeds.map(async (one) => {
        const each = caseOf(suite, one);
        return { seed: one, each, verdicts: await suite.decide(sides, each) };
      }),
    );
    for (const { verdicts, ...result } of results) {
      tally.add(verdicts);
      const agreement = worst(verdicts);
      if (agreement === 'different' || agreement === 'words') found.push({ ...result, agreement });
    }
    if (performance.now() - told < 5000) continue;
    told = performance.now();
    console.error(`${suite.name} [${seed - first}/${count}] ${tally.line()}`);
  }
  const shown = found
    .filter(({ agreement }) => agreement === 'different' || values.words)
    .slice(0, show);
  for (const { seed, each, agreement } of shown) {
    console.log(`\n${suite.name}, seed ${seed}, ${agreement}:`);
    await print(sides, suite, each, agreement);
  }
  console.log(`${suite.name}: ${tally.line()}`);
  return tally.share >= REQUIRED_SHARE;
}

function caseOf<Case>(suite: Suite<Case>, seed: number): Case {
  return fc.sample(suite.cases, { seed, numRuns: 1 })[0] as Case;
}

function worst(verdicts: readonly Verdict[]): Agreement {
  const order: readonly Agreement[] = ['different', 'words', 'undecided', 'strict', 'equal'];
  return order.find((each) => verdicts.some(({ agreement }) => agreement === each)) ?? 'equal';
}

async function print<Case>(
  sides: Sides,
  suite: Suite<Case>,
  each: Case,
  agreement: Agreement,
): Promise<void> {
  const smallest = await smallestCase(
    each,
    async (smaller) => worst(await suite.decide(sides, smaller)) === agreement,
  );
  console.log(JSON.stringify(smallest));
  for (const { agreement: own, ours, judge } of await suite.decide(sides, smallest)) {
    if (own !== agreement) continue;
    console.log(`  Keelson    ${ours.code} ${JSON.stringify(ours.object ?? ours.causes)}`);
    console.log(`  Kubernetes ${judge.code} ${JSON.stringify(judge.object ?? judge.causes)}`);
  }
}

async function main(): Promise<boolean> {
  if (!(await hasGo())) {
    console.error("!!! SKIPPED: no Go on this machine, so Kubernetes' packages cannot be asked");
    return true;
  }
  await using judge = await Judge.start();
  await using server = await ServerInMemory.start();
  let isWell = true;
  for (const suite of suites) {
    if (!suite.name.startsWith(values.suite)) continue;
    isWell = (await run({ judge, server }, suite)) && isWell;
  }
  return isWell;
}

process.exitCode = (await main()) ? 0 : 1;
