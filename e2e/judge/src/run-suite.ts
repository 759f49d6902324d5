import * as fc from 'fast-check';
import { smallestCase } from './comparison/smallest-case.ts';
import { Tally } from './comparison/tally.ts';
import type { Agreement, Verdict } from './comparison/verdict.ts';
import type { Sides, Suite } from './suites/suite.ts';

/** The seeds of a run, and what it prints. */
export interface RunOptions {
  /** Each case has a seed of its own: this one, the next, and so on. */
  readonly seed: number;
  readonly count: number;
  /** Most differences that are printed, each as its smallest case. */
  readonly show: number;
  /** Also prints refusals for other causes. */
  readonly words: boolean;
  readonly print: (line: string) => void;
  readonly onProgress: (line: string) => void;
}

/** Cases that are decided at the same time. */
const BATCH = 20;

/** Milliseconds between two lines of progress. */
const PROGRESS_INTERVAL_MS = 5000;

interface Finding<Case> {
  readonly seed: number;
  readonly each: Case;
  readonly agreement: Agreement;
}

/** Decides the cases of a suite on both sides, and prints the first differences. */
export async function runSuite<Case>(
  sides: Sides,
  suite: Suite<Case>,
  options: RunOptions,
): Promise<Tally> {
  const { seed: first, count } = options;
  const tally = new Tally();
  const found: Finding<Case>[] = [];
  let reported = performance.now();
  for (let seed = first; seed < first + count; seed += BATCH) {
    const length = Math.min(BATCH, first + count - seed);
    const batch = Array.from({ length }, (_, index) => seed + index);
    for (const { verdicts, ...finding } of await decideAll(sides, suite, batch)) {
      tally.add(verdicts);
      found.push(finding);
    }
    if (performance.now() - reported < PROGRESS_INTERVAL_MS) continue;
    reported = performance.now();
    options.onProgress(`${suite.name} [${seed + length - first}/${count}] ${tally.line()}`);
  }
  for (const finding of chosen(found, options)) await printFinding(sides, suite, finding, options);
  options.print(`${suite.name}: ${tally.line()}`);
  return tally;
}

function decideAll<Case>(
  sides: Sides,
  suite: Suite<Case>,
  seeds: readonly number[],
): Promise<readonly (Finding<Case> & { readonly verdicts: readonly Verdict[] })[]> {
  return Promise.all(
    seeds.map(async (seed) => {
      const each = fc.sample(suite.cases, { seed, numRuns: 1 })[0] as Case;
      const verdicts = await suite.decide(sides, each);
      return { seed, each, verdicts, agreement: worst(verdicts) };
    }),
  );
}

const fromWorst: readonly Agreement[] = ['different', 'words', 'undecided', 'strict', 'equal'];

function worst(verdicts: readonly Verdict[]): Agreement {
  const found = fromWorst.find((each) => verdicts.some(({ agreement }) => agreement === each));
  return found ?? 'equal';
}

/** Returns the findings to print, other decisions before other words. */
function chosen<Case>(
  found: readonly Finding<Case>[],
  { show, words }: RunOptions,
): readonly Finding<Case>[] {
  const of = (wanted: Agreement): readonly Finding<Case>[] =>
    found.filter(({ agreement }) => agreement === wanted);
  return [...of('different'), ...(words ? of('words') : [])].slice(0, show);
}

async function printFinding<Case>(
  sides: Sides,
  suite: Suite<Case>,
  { seed, each, agreement }: Finding<Case>,
  { print }: RunOptions,
): Promise<void> {
  print(`\n${suite.name}, seed ${seed}, ${agreement}:`);
  const smallest = await smallestCase(
    each,
    async (smaller) => worst(await suite.decide(sides, smaller)) === agreement,
    suite.smaller,
  );
  print(JSON.stringify(smallest));
  for (const { agreement: own, ours, judge } of await suite.decide(sides, smallest)) {
    if (own !== agreement) continue;
    print(`  Keelson    ${ours.code} ${JSON.stringify(ours.object ?? ours.causes)}`);
    print(`  Kubernetes ${judge.code} ${JSON.stringify(judge.object ?? judge.causes)}`);
  }
}
