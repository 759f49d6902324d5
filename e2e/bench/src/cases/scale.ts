import type { FitSearch } from './largest-fit.ts';

/** The numbers of objects and events of a run. */
export interface Scale {
  readonly runs: number;
  readonly listSizes: readonly number[];
  readonly watchListSizes: readonly number[];
  readonly hugeList: number;
  readonly burstEvents: number;
  readonly latencySeconds: number;
  /** The numbers of pods between which the largest one for a container is searched, and the precision of the result. */
  readonly fit: FitSearch;
  /** Seconds for which the garbage collections of a controller are counted. */
  readonly collectionSeconds: number;
  /** The points of the curves of whole operators. */
  readonly operator: {
    /** The owners that a controller reconciles after a restart. */
    readonly owners: readonly number[];
    /** The objects among which one waited through a restart, and the rates at which others change. */
    readonly waitingObjects: number;
    readonly changesPerSecond: readonly number[];
    /** The kinds of an idle operator, and the seconds for which the largest one is measured. */
    readonly idleKinds: readonly number[];
    readonly idleSeconds: number;
  };
  readonly recoveryPods: number;
  readonly queueItems: number;
  /** The number of objects in the cases of narrow queries. */
  readonly queriedObjects: number;
  /** The number of kinds that one cache watches. */
  readonly kinds: number;
  /** The points of the curves. */
  readonly growth: {
    /** Objects in a cache, and items in a queue. */
    readonly objects: readonly number[];
    readonly kinds: readonly number[];
    readonly controllers: readonly number[];
    /** Indexes, and views with a selector, of one watch. */
    readonly indexes: readonly number[];
    readonly selectors: readonly number[];
  };
  /** Seconds for which idle watches are measured. */
  readonly restSeconds: number;
  /** The number of pods in a real kube-apiserver. */
  readonly realPods: number;
  /** The numbers of pods of first lists from real kube-apiservers, each with a server of its own. */
  readonly realLists: readonly number[];
  /** The number of writes that a webhook reviews. */
  readonly reviews: number;
}

export const fullScale: Scale = {
  runs: 5,
  listSizes: [100, 1000, 5000, 10_000, 20_000, 50_000, 100_000],
  watchListSizes: [1000, 5000, 50_000],
  hugeList: 150_000,
  burstEvents: 40_000,
  latencySeconds: 6,
  fit: { from: 500, to: 150_000, precision: 1.05 },
  collectionSeconds: 20,
  operator: {
    owners: [1000, 10_000, 50_000],
    waitingObjects: 3000,
    changesPerSecond: [100, 200, 300, 400],
    idleKinds: [1, 10, 30],
    idleSeconds: 600,
  },
  recoveryPods: 10_000,
  queueItems: 1_000_000,
  queriedObjects: 10_000,
  kinds: 500,
  growth: {
    objects: [1000, 10_000, 100_000, 1_000_000],
    kinds: [10, 50, 100, 200, 500],
    controllers: [1, 3, 10, 30, 100],
    indexes: [1, 2, 4, 8, 16],
    selectors: [1, 2, 4, 8, 16],
  },
  restSeconds: 60,
  realPods: 20_000,
  realLists: [1000, 5000, 20_000],
  reviews: 4000,
};

/** A small scale for development; its results are printed and not kept. */
export const quickScale: Scale = {
  runs: 1,
  listSizes: [1000, 10_000],
  watchListSizes: [1000],
  hugeList: 20_000,
  burstEvents: 10_000,
  latencySeconds: 3,
  fit: { from: 500, to: 150_000, precision: 1.5 },
  collectionSeconds: 3,
  operator: {
    owners: [1000],
    waitingObjects: 500,
    changesPerSecond: [200],
    idleKinds: [30],
    idleSeconds: 5,
  },
  recoveryPods: 2000,
  queueItems: 200_000,
  queriedObjects: 2_000,
  kinds: 500,
  growth: {
    objects: [1000, 10_000],
    kinds: [10, 50],
    controllers: [1, 10],
    indexes: [1, 16],
    selectors: [1, 16],
  },
  restSeconds: 5,
  realPods: 500,
  realLists: [500],
  reviews: 800,
};
