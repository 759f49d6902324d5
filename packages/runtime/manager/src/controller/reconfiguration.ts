import {
  checkOptions,
  checkSignal,
  invalidOption,
  resourceId,
  type KubernetesObject,
} from '@keelson/apimachinery';
import {
  controllerMistakes,
  fixedOptions,
  settingMistakes,
  type HintsOf,
} from '../common-mistakes.ts';
import { carriesCluster } from '../sources/cluster-selection.ts';
import type { Request } from '../reconcile/request.ts';
import {
  checkControllerOptions,
  type ControllerOptions,
  type SpanningOptions,
} from './controller-options.ts';
import type { Watched } from '../sources/index-watches/watches-of.ts';
import {
  clusterOf,
  sourceOptionsOf,
  type FormOf,
  type SourceForm,
} from '../sources/source-options.ts';

/**
 * Options of a controller that `controller.reconfigure` replaces while its workers run. A named option replaces its
 * former value as a whole; the others stay as they are.
 *
 * - `concurrency`: at once, or after the changes before it. Running reconciles beyond a lower limit finish, and none
 *   begins above it.
 * - `timeout`: for the runs that begin afterwards.
 * - `backoff`, `rateLimiter`, `tokenBucket`, `maxAttempts`: for the next failures. Requests that wait keep their time,
 *   and the number of attempts continues. A new `backoff` counts the failures so far, a new `rateLimiter` only the next
 *   ones.
 * - `ageAfter`: at once, also for requests that wait.
 * - `maxReconcileInterval`: every object that exists runs within the new interval. A run that was due earlier keeps its
 *   time.
 * - `debounce`, `eventRate`: for the next events of every source without an own value, and of watches that are added
 *   later. Requests that wait keep their time. A new rate begins with a full burst for each object.
 * - `resync`: the next resync comes one interval after the change. No watch begins or ends.
 * - `namespaces`, `for`, `owns`, `watches`, `reads`: all watches that the controller has from now on. `for` keeps its
 *   kind.
 */
export type Reconfiguration<
  T extends KubernetesObject = KubernetesObject,
  Q extends object = Request,
  Kinds extends readonly Watched[] = readonly KubernetesObject[],
  P extends SourceForm = FormOf<T>,
> = Pick<SpanningOptions<T, Q, Kinds, P>, ChangeableOption> &
  HintsOf<typeof settingMistakes> &
  HintsOf<typeof controllerMistakes> &
  HintsOf<typeof fixedOptions>;

const changeable = [
  'concurrency',
  'timeout',
  'backoff',
  'rateLimiter',
  'tokenBucket',
  'maxAttempts',
  'ageAfter',
  'maxReconcileInterval',
  'debounce',
  'eventRate',
  'resync',
  'namespaces',
  'for',
  'owns',
  'watches',
  'reads',
] as const;

type ChangeableOption = (typeof changeable)[number];

/** Changes as the controller applies them: their types were checked at the call. */
export type Changes<Q extends object> = Partial<
  Pick<ControllerOptions<KubernetesObject, Q>, ChangeableOption>
>;

/** Cancels a change of a controller. */
export interface ReconfigureOptions {
  /**
   * An abort before the new watches have synced cancels the change, and the former configuration stays in force. A
   * later abort only ends the wait for the runs that the former watches caused. Default: none.
   */
  readonly signal?: AbortSignal;
}

/** The difference that a call of `reconfigure` made. Watches have names such as `for WebApp in team-a (app=web)`. */
export interface ReconfigureResult {
  /** The options that the call named. */
  readonly changed: readonly string[];
  /** The watches that are new. One with a new selector is in `started` and in `stopped`. */
  readonly started: readonly string[];
  /** The watches that continue: they sent no request, and no event of them was repeated. */
  readonly kept: readonly string[];
  /** The watches that ended. */
  readonly stopped: readonly string[];
}

/** Throws `INVALID_OPTION` for an option that does not exist or cannot change. */
export function checkChanges(changes: object, bounds: ReconfigureOptions): void {
  checkOptions(changes, changeable, 'reconfigure', {
    ...settingMistakes,
    ...controllerMistakes,
    ...fixedOptions,
  });
  checkOptions(bounds, ['signal'], 'reconfigure.options');
  checkSignal(bounds.signal, 'reconfigure.options.signal');
}

/** Returns the options of a controller after a change. Throws `INVALID_OPTION` unless they are valid together. */
export function reconfigured<Q extends object>(
  options: ControllerOptions<KubernetesObject, Q>,
  changes: Changes<Q>,
): ControllerOptions<KubernetesObject, Q> {
  const named = Object.entries(changes).filter(([, value]) => value !== undefined);
  const { backoff, rateLimiter, ...others } = options;
  // `backoff` and `rateLimiter` exclude each other, so a new one removes the other.
  const limits = changes.rateLimiter === undefined ? { backoff, rateLimiter } : { rateLimiter };
  const next = {
    ...others,
    ...(changes.backoff === undefined ? limits : {}),
    ...Object.fromEntries(named),
  };
  checkKind(options, changes);
  if (carriesCluster(next) !== carriesCluster(options)) {
    const reason = 'must not change whether requests carry a cluster: add another controller';
    throw invalidOption('reconfigure.clusters', reason);
  }
  checkControllerOptions(next as typeof options, 'reconfigure', options.reconcile === undefined);
  return Object.freeze(next) as typeof options;
}

/** True if a change names watches or reads of a cluster. */
export function namesCluster<Q extends object>(
  { watches = [], reads = [] }: Changes<Q>,
  cluster: string,
): boolean {
  return [...watches, ...reads].some((source) => clusterOf(sourceOptionsOf(source)) === cluster);
}

/** Returns options without the watches and reads of a cluster. */
export function withoutCluster<Q extends object>(
  options: ControllerOptions<KubernetesObject, Q>,
  cluster: string,
): ControllerOptions<KubernetesObject, Q> {
  const { watches = [], reads = [] } = options;
  return Object.freeze({
    ...options,
    watches: watches.filter((source) => clusterOf(source) !== cluster),
    reads: reads.filter((source) => clusterOf(sourceOptionsOf(source)) !== cluster),
  });
}

/** Throws `INVALID_OPTION` if a change gives `for` another kind, because the kind decides the form of a request. */
function checkKind<Q extends object>(
  options: ControllerOptions<KubernetesObject, Q>,
  changes: Changes<Q>,
): void {
  if (changes.for === undefined) return;
  if (options.for === undefined) {
    throw invalidOption('reconfigure.for', 'needs a controller that was added with `for`');
  }
  const { resource } = sourceOptionsOf(options.for);
  const { resource: next } = sourceOptionsOf(changes.for);
  if (typeof next !== 'object' || next === null || resourceId(next) === resourceId(resource))
    return;
  throw invalidOption('reconfigure.for.resource', 'must be the kind of the controller', {
    kind: resourceId(resource),
  });
}
