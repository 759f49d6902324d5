/** The numbers of objects and events of a run. */
export interface Scale {
  readonly runs: number;
  readonly listSizes: readonly number[];
  readonly hugeList: number;
  readonly burstEvents: number;
  readonly latencySeconds: number;
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
  };
  /** Seconds for which idle watches are measured. */
  readonly restSeconds: number;
  /** The number of pods in a real kube-apiserver. */
  readonly realPods: number;
  /** The number of writes that a webhook reviews. */
  readonly reviews: number;
}

export const fullScale: Scale = {
  runs: 5,
  listSizes: [100, 1000, 5000, 10_000, 20_000, 50_000, 100_000],
  hugeList: 150_000,
  burstEvents: 40_000,
  latencySeconds: 6,
  recoveryPods: 10_000,
  queueItems: 1_000_000,
  queriedObjects: 10_000,
  kinds: 500,
  growth: {
    objects: [1000, 10_000, 100_000, 1_000_000],
    kinds: [10, 50, 100, 200, 500],
    controllers: [1, 3, 10, 30, 100],
  },
  restSeconds: 60,
  realPods: 20_000,
  reviews: 4000,
};

/** A small scale for development; its results are printed and not kept. */
export const quickScale: Scale = {
  runs: 1,
  listSizes: [1000, 10_000],
  hugeList: 20_000,
  burstEvents: 10_000,
  latencySeconds: 3,
  recoveryPods: 2000,
  queueItems: 200_000,
  queriedObjects: 2_000,
  kinds: 500,
  growth: { objects: [1000, 10_000], kinds: [10, 50], controllers: [1, 10] },
  restSeconds: 5,
  realPods: 500,
  reviews: 800,
};
