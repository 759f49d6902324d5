import type { BenchCase } from './bench-case.ts';
import type { Scale } from './scale.ts';

const OBJECTS = 20;
const WORKERS = 2;
const RUNS = 3;
/** An operator with fewer kinds is measured for this share of the time. */
const SHORT = 0.1;

/** Whole operators beside those of controller-runtime, against `@keelson/apiserver` in a process of its own, without TLS. */
export function operatorCases(scale: Scale): readonly BenchCase[] {
  const { owners, changesPerSecond, idleKinds } = scale.operator;
  return [
    ...owners.map((count) => ownersCase(scale, count)),
    ...changesPerSecond.map((rate) => waitingCase(scale, rate)),
    ...idleKinds.map((kinds) => idleCase(scale, kinds)),
  ];
}

/** A restart with many owners, each of which has one child and is in its desired state. */
function ownersCase(scale: Scale, owners: number): BenchCase {
  const name = `restart.owners.${owners}`;
  return {
    name,
    server: { embedded: true, kinds: 2, objects: owners, tls: false, isOwned: true },
    sides: {
      keelson: { job: 'operator.owners', options: { owners } },
      controllerRuntime: { language: 'go', peer: [`-count=${owners}`, 'owners'] },
    },
    runs: Math.min(scale.runs, RUNS),
    rows: [
      { case: `${name}.seconds`, metric: 'seconds', unit: 's' },
      { case: `${name}.cpu`, metric: 'cpu', unit: 's CPU' },
      { case: `${name}.peakRss`, metric: 'peakRss', unit: 'MB' },
      { case: `${name}.requests`, metric: 'requests', unit: 'requests' },
      { case: `${name}.reconciles`, metric: 'reconciles', unit: 'reconciles' },
    ],
  };
}

/** An object that waited through a restart, while a tenth of the others changes. */
function waitingCase(scale: Scale, perSecond: number): BenchCase {
  const name = `restart.waiting.${perSecond}`;
  const objects = scale.operator.waitingObjects;
  const among = objects / 10;
  const flags = [`-count=${objects}`, `-queued=${among}`, `-per-second=${perSecond}`];
  return {
    name,
    server: { embedded: true, kinds: 1, objects, tls: false },
    sides: {
      keelson: {
        job: 'operator.waited',
        options: { objects, perSecond, among, concurrency: WORKERS },
      },
      controllerRuntime: { language: 'go', peer: [...flags, `-workers=${WORKERS}`, 'waited'] },
    },
    runs: Math.min(scale.runs, RUNS),
    rows: [
      { case: `${name}.object`, metric: 'waiting', unit: 's' },
      { case: `${name}.all`, metric: 'all', unit: 's' },
    ],
  };
}

/** An operator with a controller for each kind, whose objects do not change. */
function idleCase(scale: Scale, kinds: number): BenchCase {
  const { idleKinds, idleSeconds } = scale.operator;
  const seconds = kinds === Math.max(...idleKinds) ? idleSeconds : Math.ceil(idleSeconds * SHORT);
  const flags = [`-count=${OBJECTS}`, `-kinds=${kinds}`, `-seconds=${seconds}`];
  return {
    name: `idle.${kinds}`,
    server: { embedded: true, kinds, objects: OBJECTS, tls: false },
    sides: {
      keelson: { job: 'operator.idle', options: { kinds, objects: OBJECTS, seconds } },
      controllerRuntime: { language: 'go', peer: [...flags, 'idle'] },
    },
    runs: 1,
    rows: [{ case: `idle.${kinds}.cpu`, metric: 'cpu', unit: 'ms CPU per minute' }],
  };
}
