import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { buildBinaries, cacheFolder } from '@keelson/e2e-control-plane';
import { startMemory, startReal } from './clusters.ts';
import { compareTexts, type Agreement } from './compare.ts';
import { normalOutcome } from './normal-form.ts';
import { kinds, sessionOfSeed } from './session.ts';
import { Stage, type Cluster } from './stage.ts';

const { values } = parseArgs({
  options: {
    /** Folder of the binaries. Default `KUBEBUILDER_ASSETS`; without it they are built with Go. */
    assets: { type: 'string', default: process.env['KUBEBUILDER_ASSETS'] ?? '' },
    /** Number of sessions. */
    seeds: { type: 'string', default: '100' },
    /** Seed of the first session. */
    first: { type: 'string', default: '1' },
    /** Plays only this kind of workload. */
    kind: { type: 'string', default: '' },
    /** Sessions at the same time. */
    parallel: { type: 'string', default: '4' },
    /** Path of a JSON file for all differences. */
    report: { type: 'string' },
  },
});

/** The shares that a run must reach. */
const MIN_STATES = 0.99;
const MIN_EVENTS = 0.95;

/** What one session has in common on both sides. */
interface Compared {
  readonly seed: number;
  readonly kind: string;
  readonly states: Agreement;
  readonly events: Agreement;
}

const chosen = kinds.filter((kind) => values.kind === '' || kind === values.kind);

async function assetsOf(): Promise<string> {
  if (values.assets !== '') return values.assets;
  const folder = await cacheFolder(process.env);
  const binaries = ['etcd', 'kube-apiserver', 'kube-controller-manager'] as const;
  await buildBinaries({
    binaries: [...binaries],
    folder,
    onProgress: (line) => console.error(line),
  });
  return folder;
}

async function compare(seed: number, real: Cluster, ours: Cluster): Promise<Compared> {
  const session = sessionOfSeed(seed, chosen);
  const [expected, actual] = await Promise.all(
    [real, ours].map(async (cluster) =>
      normalOutcome(await new Stage(cluster, `s${seed}`, session).play()),
    ),
  );
  if (expected === undefined || actual === undefined) throw new Error('a session has no outcome');
  return {
    seed,
    kind: session.kind,
    states: compareTexts(expected.objects, actual.objects),
    events: compareTexts(expected.events, actual.events),
  };
}

async function playAll(real: Cluster, ours: Cluster): Promise<Compared[]> {
  const first = Number(values.first);
  const seeds = Array.from({ length: Number(values.seeds) }, (_, at) => first + at);
  const results: Compared[] = [];
  const work = async (): Promise<void> => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift())
      results.push(await compare(seed, real, ours));
  };
  await Promise.all(Array.from({ length: Number(values.parallel) }, work));
  return results.toSorted((one, other) => one.seed - other.seed);
}

function shareOf(agreements: readonly Agreement[]): number {
  const total = agreements.reduce((sum, agreement) => sum + agreement.total, 0);
  const equal = agreements.reduce((sum, agreement) => sum + agreement.equal, 0);
  return total === 0 ? 1 : equal / total;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`;
}

function print(results: readonly Compared[]): void {
  for (const { seed, kind, states, events } of results) {
    const differences = [...states.missing, ...states.excess, ...events.missing, ...events.excess];
    if (differences.length > 0)
      console.log(`seed ${seed} ${kind}: ${differences.length} differences`);
  }
  for (const kind of chosen) {
    const own = results.filter((result) => result.kind === kind);
    const [states, events] = [own.map((each) => each.states), own.map((each) => each.events)];
    console.log(
      `${kind}: ${own.length} sessions, ${percent(shareOf(states))} of states, ${percent(shareOf(events))} of events`,
    );
  }
}

async function main(): Promise<boolean> {
  await using real = await startReal(await assetsOf());
  await using ours = await startMemory();
  // Disposing of the clusters may fail after an error and would hide it.
  const results = await playAll(real, ours).catch((error: unknown) => {
    console.error(error);
    throw error;
  });
  print(results);
  const states = shareOf(results.map((each) => each.states));
  const events = shareOf(results.map((each) => each.events));
  if (values.report) await writeFile(values.report, JSON.stringify(results, undefined, 1));
  console.log(
    `${results.length} sessions, ${percent(states)} of states, ${percent(events)} of events equal`,
  );
  return states >= MIN_STATES && events >= MIN_EVENTS;
}

process.exitCode = (await main()) ? 0 : 1;
