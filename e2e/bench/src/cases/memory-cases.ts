import type { BenchCase } from './bench-case.ts';
import { informers } from './peers.ts';
import type { Scale } from './scale.ts';

const WATCHED_PODS = 2000;
const EVENTS_PER_SECOND = 2000;
/** Each run of a search lists seven to eight times. */
const FIT_RUNS = 3;
/** The values of `--max-semi-space-size` in MiB; V8's own is 16. */
export const semiSpaces = [1, 2, 4, 8, 16, 32, 64] as const;

/** The memory limits of the containers, in MiB. */
export const containers = [256, 512] as const;

/** How much fits into the memory of a process, and what its garbage collections cost. */
export function memoryCases(scale: Scale): readonly BenchCase[] {
  return [
    ...containers.map((megabytes) => fitCase(scale, megabytes)),
    ...semiSpaces.map((megabytes) => collectionsCase(scale, megabytes)),
  ];
}

/** The largest list of pods that an informer keeps in a container with this limit. */
function fitCase(scale: Scale, megabytes: number): BenchCase {
  const name = `fit.${megabytes}`;
  const job = 'list';
  return {
    name,
    sides: {
      keelson: { job, options: { view: 'keelson' } },
      clientNode: { job, options: { view: 'clientNode' } },
      ...informers('measure'),
    },
    runs: Math.min(scale.runs, FIT_RUNS),
    rows: [{ case: `${name}.pods`, metric: 'pods', unit: 'pods' }],
    fit: { megabytes, ...scale.fit },
  };
}

/** The garbage collections of a controller whose objects change, with a size of V8's young generation. */
function collectionsCase(scale: Scale, megabytes: number): BenchCase {
  const name = `collections.${megabytes}`;
  const pods = WATCHED_PODS;
  const [perSecond, events] = [EVENTS_PER_SECOND, EVENTS_PER_SECOND * scale.collectionSeconds];
  const options = { pods, perSecond, events, concurrency: 8 };
  const flags = [`--max-semi-space-size=${megabytes}`];
  return {
    name,
    server: { pods },
    sides: { keelson: { job: 'collections', options, flags } },
    runs: scale.runs,
    rows: [
      { case: `${name}.major`, metric: 'major', unit: 'per 10 000 events' },
      { case: `${name}.minor`, metric: 'minor', unit: 'per 10 000 events' },
      { case: `${name}.cpu`, metric: 'cpu', unit: 's per 10 000 events' },
      { case: `${name}.peakRss`, metric: 'peakRss', unit: 'MB' },
    ],
  };
}
