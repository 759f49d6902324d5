import type { Hint } from '@keelson/apimachinery';

/** Option names of other runtimes, each with the cure that the compiler and the check at run time print. */
export type Mistakes = Readonly<Record<string, string>>;

/** Members that make the compiler print the cure of a mistake in one line. */
export type HintsOf<M extends Mistakes> = {
  readonly [Name in keyof M & string]?: Hint<`${Name}: ${M[Name]}`>;
};

/** Mistakes in the options of a manager. */
export const managerMistakes = {
  leaderElectionID: 'use `leaderElection: { lease }`',
  gracefulShutdownTimeout: 'use `gracePeriod`',
  metrics: 'use `servers: { metrics }`',
  metricsBindAddress: 'use `servers: { metrics }`',
  healthProbeBindAddress: 'use `servers: { health }`',
} as const;

/** Mistakes in the settings that a manager may set for all controllers. */
export const settingMistakes = {
  maxConcurrentReconciles: 'use `concurrency`',
  reconciliationTimeout: 'use `timeout`',
  syncPeriod: 'use `resync`',
  maxReconciliationInterval: 'use `maxReconcileInterval`',
} as const;

/** Mistakes in the options of a controller. */
export const controllerMistakes = {
  resource: 'use `for`',
  labelSelector: 'use `for: { resource, labelSelector }`',
  namespace: 'use `for: { resource, namespace }`',
  reconciler: 'use `reconcile`',
  needLeaderElection: 'use `phase`',
} as const;

/** Options of `addController` that a pulled controller does not have. */
export const pulledMistakes = {
  reconcile: 'use `addController`, or take the requests with `work()`',
  concurrency: 'open more loops over `work()`',
} as const;

/** Options of a controller that `reconfigure` does not change. */
export const fixedOptions = {
  name: 'is fixed: add another controller',
  reconcile: 'is fixed: add another controller',
  phase: 'is fixed: add another controller',
  singleton: 'is fixed: add another controller',
  keyOf: 'is fixed: add another controller',
  groupOf: 'is fixed: add another controller',
  weightOf: 'is fixed: add another controller',
  errorPolicy: 'is fixed: add another controller',
  onDeadLetter: 'is fixed: add another controller',
  cacheSyncTimeout: 'is fixed: add another controller',
  readiness: 'is fixed: add another controller',
  historyBytes: 'is fixed: add another controller',
  logLevel: 'assign `controller.logLevel`',
  predicates: 'use the `predicates` of `for`, `owns` and `watches`',
  priorities: 'use the `priorities` of `for`, `owns` and `watches`',
  sources: 'use `addSource`',
} as const;

/** Mistakes in `for`, `owns` and `watches`. */
export const sourceMistakes = {
  predicate: 'use `predicates`',
  filter: 'use `predicates`',
  selector: 'use `labelSelector`',
} as const;

/** Mistakes in `reads`. */
export const readsMistakes = {
  resync: 'use `watches`, for events of `reads` lead to no requests',
} as const;

/** Mistakes in `watches`. */
export const watchMistakes = {
  mapper: 'use `map`',
  handler: 'use `map`',
} as const;

/** Mistakes in the types of events of `byType`. */
export const eventTypeMistakes = {
  create: 'use `added`',
  update: 'use `updated`',
  delete: 'use `deleted`',
} as const;

/** Mistakes in the result of a reconcile. */
export const outcomeMistakes = {
  requeue: 'use `retry`, or `requeueAfter`',
  requeueIn: 'use `requeueAfter`',
  retryAfter: 'use `requeueAfter`',
} as const;

/** The cure of a value that is not a kind, such as a string, for the compiler and the check at run time. */
export const tokenCure = 'must be a resource token: builtin.X or defineResource(…)';
