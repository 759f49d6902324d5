import {
  backoffDelays,
  checkCount,
  checkFlag,
  checkFunction,
  checkOptions,
  invalidOption,
  parseDuration,
  type ApiResource,
  type BackoffDelays,
  type Duration,
  type Hint,
  type KubernetesObject,
} from '@keelson/apimachinery';
import {
  controllerMistakes,
  pulledMistakes,
  settingMistakes,
  type tokenCure,
  type HintsOf,
} from '../common-mistakes.ts';
import { checkIndexWatches, checkWatch } from '../sources/index-watches/index-watch.ts';
import type { Watched, WatchesOf } from '../sources/index-watches/watches-of.ts';
import { checkIterable, type IterableSourceOptions } from '../sources/iterables/iterable-source.ts';
import {
  eventDefaultNames,
  eventSettingsOf,
  type EventDefaults,
  type EventSettings,
} from '../sources/event-rules/event-settings.ts';
import { checkReadiness } from '../run/first-pass.ts';
import { namespaceSet } from '../sources/namespace-set.ts';
import { checkLevel, type LogLevel } from '../logging/logger.ts';
import type { Phase } from '../phases/phase.ts';
import {
  checkQueueOptions,
  queueDefaultNames,
  queueOptionNames,
  queueSettingsOf,
  type QueueDefaults,
  type QueueOptions,
  type QueueSettings,
} from '../run/queue-options.ts';
import type { Predicate } from '../sources/event-rules/predicate.ts';
import { selectionOf, type Spanning } from '../sources/cluster-selection.ts';
import type { Reconcile } from '../reconcile/reconcile.ts';
import type { ClusterRequest, Request } from '../reconcile/request.ts';
import {
  checkPredicates,
  checkSourceOptions,
  sourceOptionsOf,
  type OwnsOptions,
  type FormOf,
  type ReadsOptions,
  type ForOptions,
  type SourceForm,
  type SourceOptions,
} from '../sources/source-options.ts';

/** Limits the concurrency, the time and the retries of a controller. A manager may set defaults for all controllers. */
export interface ControllerDefaults
  extends QueueDefaults, EventDefaults, HintsOf<typeof settingMistakes> {
  /** The number of reconciles that may run at the same time. Default 1. */
  readonly concurrency?: number;
  /** The time after which the signal of a run aborts. The run keeps its slot until it ends. Default 0: no limit. */
  readonly timeout?: Duration;
  /**
   * The time that required watches may take to sync before the start fails. Default `'2m'`; 0 means no limit. The
   * time does not count while the kind is not served or forbidden; other controllers then run without it.
   */
  readonly cacheSyncTimeout?: Duration;
  /**
   * The interval, ±10 %, after which every object of `for`, `owns` and `watches` leads to a request again, with the
   * cause `resync` and the priority `priorities.resync`. Default 0: never, because a watch misses no change.
   */
  readonly resync?: Duration;
  /**
   * The delays after failures: `min(base·2^failures, max)`. Default `'5ms'` and `'1000s'`. If only one is
   * given and contradicts the default of the other, that default becomes equal to it.
   */
  readonly backoff?: { readonly base?: Duration; readonly max?: Duration };
  /**
   * The memory in bytes for the latest events and runs of the requests, which `explain` reads. The requests that ran
   * longest ago are forgotten first. Default 1 MiB; 0 keeps nothing, and `explain` then knows the present state only.
   */
  readonly historyBytes?: number;
  /**
   * The lowest level of the log lines of the controller and its reconciles; `controller.logLevel` changes it at run time.
   * The logger must have a `level`, as pino and `createLogger` have. Default: the level of the manager's logger.
   */
  readonly logLevel?: LogLevel;
}

/** A resource, or a resource with options. */
export type SourceOf<T extends KubernetesObject, P extends SourceForm = FormOf<T>> =
  | ApiResource<T>
  | ForOptions<T, P>;

/** The phases in which the workers of a controller may run. */
export type ControllerPhase = Extract<Phase, 'always' | 'leader'>;

/** The phases in which workers run: with sharding, those of most controllers run in the phase `shards`. */
export type WorkPhase = ControllerPhase | Extract<Phase, 'shards'>;

/** The sources, the reconcile and the limits of a controller. The compiler infers `R` from what `reconcile` returns. */
export interface ControllerOptions<
  T extends KubernetesObject = KubernetesObject,
  Q extends object = Request,
  Kinds extends readonly Watched[] = readonly KubernetesObject[],
  P extends SourceForm = FormOf<T>,
  R = never,
>
  extends ControllerDefaults, QueueOptions<Q>, HintsOf<typeof controllerMistakes> {
  /** The name of the queue, the metrics label, and the field manager of writes. Unique in the manager. */
  readonly name: string;
  /**
   * The kind that the controller reconciles. An event about an object queues a request with its name, and with
   * `clusters` also with its cluster.
   */
  readonly for?: SourceOf<T, P> | Hint<`for ${typeof tokenCure}`>;
  /**
   * The namespaces of all sources that name none themselves; cluster-scoped kinds ignore it. `setNamespaces` changes it
   * at run time. Default: those of the manager, else all namespaces.
   */
  readonly namespaces?: readonly string[];
  /**
   * An event of `for`, `owns`, `watches` or a watch that was added at run time leads to requests if every one of these
   * predicates passes it, and then those of its source. Default: every event does.
   */
  readonly predicates?: readonly Predicate[];
  /** Kinds whose objects have an owner reference to an object of `for`. An event queues a request for the owner. */
  readonly owns?: readonly (ApiResource | OwnsOptions | Hint<`owns ${typeof tokenCure}`>)[];
  /** Other kinds, each with a `map` from its objects to requests, or with an `index` that finds them. */
  readonly watches?: WatchesOf<Kinds, Q, NoInfer<T>>;
  /**
   * Kinds that reconciles read from the cache, and whose events lead to no requests. The cache of a controller reads
   * only the kinds of `for`, `owns`, `watches` and `reads`.
   */
  readonly reads?: readonly (ApiResource | ReadsOptions | Hint<`reads ${typeof tokenCure}`>)[];
  /**
   * Async iterables of requests. The controller reads each from its own phase on, unless the source names another
   * phase.
   */
  readonly sources?: readonly IterableSourceOptions<Q>[];
  /**
   * The phase in which the workers run. Default `'leader'`: with leader election, in one replica at a time. With
   * `'always'` the workers run in every replica, so reconciles must tolerate each other; their writes do not depend on
   * the Lease.
   */
  readonly phase?: ControllerPhase;
  /**
   * If true, a manager with `sharding` runs the controller in its leader alone, as without sharding. Needs
   * `leaderElection` there. Default `false`.
   */
  readonly singleton?: boolean;
  /**
   * The state in which the controller counts as ready for `/readyz`. `'synced'`: its required watches have synced.
   * `'reconciled'`: also, every request of an object that existed when its workers started has run once, successfully
   * or not, or has left the queue. It is checked in the process whose workers run; a standby is ready without it.
   * Default `'synced'`.
   */
  readonly readiness?: 'synced' | 'reconciled';
  /**
   * Returns the key of a request with members beside namespace and name. Requests with the same key are one entry in
   * the queue. Invalid with `for`, where a request is the name of an object and further members are dropped. Default:
   * namespace and name.
   */
  readonly keyOf?: (request: Q) => string;
  /** Called with each request; never concurrently for the same request. */
  readonly reconcile: Reconcile<Q, R>;
}

/** The options of a controller whose `for` has `clusters`, so that its requests carry a cluster. */
export interface SpanningOptions<
  T extends KubernetesObject = KubernetesObject,
  Q extends object = ClusterRequest,
  Kinds extends readonly Watched[] = readonly KubernetesObject[],
  P extends SourceForm = FormOf<T>,
  R = never,
  C extends Spanning = 'all' | boolean,
> extends Omit<ControllerOptions<T, Q, Kinds, P, R>, 'for'> {
  readonly for?: ApiResource<T> | ForOptions<T, P, C> | Hint<`for ${typeof tokenCure}`>;
}

/** The checked settings of a controller with all defaults. Times are in milliseconds. */
export interface ControllerSettings extends QueueSettings, EventSettings {
  readonly concurrency: number;
  readonly timeout: number;
  readonly cacheSyncTimeout: number;
  readonly resync: number;
  readonly backoff: BackoffDelays;
  readonly historyBytes: number;
  readonly logLevel: LogLevel | undefined;
}

const defaults = {
  concurrency: 1,
  timeout: 0,
  cacheSyncTimeout: '2m',
  resync: 0,
  backoff: { base: 5, max: 1_000_000 },
  historyBytes: 1024 * 1024,
} as const satisfies Required<
  Omit<
    ControllerDefaults,
    'logLevel' | keyof QueueDefaults | keyof EventDefaults | keyof typeof settingMistakes
  >
>;

const settingNames = [
  'logLevel',
  ...Object.keys(defaults),
  ...queueDefaultNames,
  ...eventDefaultNames,
];
const optionNames = [
  ...queueOptionNames,
  ...settingNames,
  'name',
  'namespaces',
  'predicates',
  'for',
  'owns',
  'watches',
  'reads',
  'sources',
  'keyOf',
  'phase',
  'singleton',
  'readiness',
  'reconcile',
];

const pulledNames = optionNames.filter((name) => !Object.hasOwn(pulledMistakes, name));

/** Throws `INVALID_OPTION` for an invalid setting. `where` is the call, for the error. */
export function checkControllerDefaults(settings: ControllerDefaults, where: string): void {
  checkOptions(settings, settingNames, where, settingMistakes);
  settingsOf(settings, {}, where);
}

/** Resolves each setting: from the controller, else from the manager, else the default. */
export function settingsOf(
  own: ControllerDefaults,
  shared: ControllerDefaults,
  where: string,
): ControllerSettings {
  const concurrency = pick(own.concurrency, shared.concurrency, defaults.concurrency);
  checkCount(concurrency, `${where}.concurrency`);
  const timeout = pick<Duration>(own.timeout, shared.timeout, defaults.timeout);
  const syncTimeout = pick<Duration>(
    own.cacheSyncTimeout,
    shared.cacheSyncTimeout,
    defaults.cacheSyncTimeout,
  );
  const resync = pick<Duration>(own.resync, shared.resync, defaults.resync);
  const historyBytes = pick(own.historyBytes, shared.historyBytes, defaults.historyBytes);
  checkCount(historyBytes, `${where}.historyBytes`, 0);
  return {
    concurrency,
    timeout: parseDuration(timeout, `${where}.timeout`),
    cacheSyncTimeout: parseDuration(syncTimeout, `${where}.cacheSyncTimeout`),
    resync: parseDuration(resync, `${where}.resync`),
    ...queueSettingsOf(own, shared, where),
    ...eventSettingsOf(own, shared, where),
    backoff: backoffOf(own.backoff, shared.backoff, `${where}.backoff`),
    historyBytes,
    logLevel: logLevelOf(
      own.logLevel === undefined ? shared.logLevel : own.logLevel,
      `${where}.logLevel`,
    ),
  };
}

/** Throws `INVALID_OPTION` for an invalid option of a controller. A pulled one has no `reconcile`. */
export function checkControllerOptions<Q extends object>(
  options: ControllerOptions<KubernetesObject, Q>,
  where: string,
  isPulled = false,
): void {
  const mistakes = { ...settingMistakes, ...controllerMistakes, ...(isPulled && pulledMistakes) };
  checkOptions(options, isPulled ? pulledNames : optionNames, where, mistakes);
  if (!isPulled) checkFunction(options.reconcile, `${where}.reconcile`);
  if (
    typeof options.name !== 'string' ||
    !/^[A-Za-z0-9][-A-Za-z0-9_.]{0,127}$/.test(options.name)
  ) {
    throw invalidOption(`${where}.name`, 'must be a name: letters, digits, - _ .');
  }
  if (!['always', 'leader', undefined].includes(options.phase)) {
    throw invalidOption(`${where}.phase`, 'must be always or leader');
  }
  checkFlag(options.singleton, `${where}.singleton`);
  if (options.singleton === true && options.phase === 'always') {
    throw invalidOption(`${where}.singleton`, 'contradicts the phase always');
  }
  checkReadiness(options.readiness, `${where}.readiness`);
  if (options.namespaces !== undefined) namespaceSet(options.namespaces, `${where}.namespaces`);
  if (options.keyOf !== undefined) {
    checkFunction(options.keyOf, `${where}.keyOf`);
    if ('for' in options)
      throw invalidOption(`${where}.keyOf`, 'has no meaning together with `for`');
  }
  checkQueueOptions(options, where);
  checkPredicates(options.predicates, `${where}.predicates`);
  checkSources(options, where);
}

function checkSources<Q extends object>(
  options: ControllerOptions<KubernetesObject, Q>,
  where: string,
): void {
  const { for: primary, owns = [], watches = [], reads = [], sources = [] } = options;
  checkArray(owns, `${where}.owns`);
  checkArray(watches, `${where}.watches`);
  checkArray(reads, `${where}.reads`);
  checkArray(sources, `${where}.sources`);
  // In plain JavaScript a misspelt `builtin.X` is undefined, and only this check finds it.
  const given = primary as SourceOf<KubernetesObject>;
  if ('for' in options) checkSourceOptions(sourceOptionsOf(given), 'for', `${where}.for`);
  else if (owns.length > 0)
    throw invalidOption(`${where}.owns`, 'needs `for`: the kind of the owner');
  const spans = 'for' in options && selectionOf(sourceOptionsOf(given)) !== undefined;
  for (const [at, owned] of owns.entries()) {
    const own = sourceOptionsOf<SourceOptions>(owned);
    checkSourceOptions(own, 'owns', `${where}.owns[${at}]`);
    if (spans || selectionOf(own) === undefined) continue;
    throw invalidOption(
      `${where}.owns[${at}].clusters`,
      'needs `clusters` of `for`: an owner is in the same cluster',
    );
  }
  for (const [at, watch] of watches.entries()) checkWatch(watch, `${where}.watches[${at}]`);
  for (const [at, read] of reads.entries()) {
    checkSourceOptions(sourceOptionsOf(read), 'reads', `${where}.reads[${at}]`);
  }
  checkIndexWatches(options, where);
  for (const [at, source] of sources.entries()) checkIterable(source, `${where}.sources[${at}]`);
}

function checkArray(value: unknown, where: string): void {
  if (!Array.isArray(value)) throw invalidOption(where, 'must be a list');
}

function backoffOf(
  own: ControllerDefaults['backoff'] = {},
  shared: ControllerDefaults['backoff'] = {},
  where: string,
): BackoffDelays {
  checkOptions(own, ['base', 'max'], where);
  const base = own.base === undefined ? shared.base : own.base;
  const max = own.max === undefined ? shared.max : own.max;
  const given = {
    base: base === undefined ? undefined : parseDuration(base, `${where}.base`),
    max: max === undefined ? undefined : parseDuration(max, `${where}.max`),
  };
  return backoffDelays(given, defaults.backoff, where);
}

function logLevelOf(level: LogLevel | undefined, where: string): LogLevel | undefined {
  if (level !== undefined) checkLevel(level, where);
  return level;
}

/** The first defined value. `null` counts as defined, so that the check of the option rejects it. */
function pick<Value>(own: Value | undefined, shared: Value | undefined, builtIn: Value): Value {
  if (own !== undefined) return own;
  return shared === undefined ? builtIn : shared;
}
