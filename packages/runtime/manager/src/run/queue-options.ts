import {
  checkCount,
  checkFunction,
  invalidOption,
  parseDuration,
  type BackoffDelays,
  type Duration,
} from '@keelson/apimachinery';
import {
  CombinedLimiter,
  ExponentialBackoff,
  TokenBucket,
  type Group,
  type LimitOptions,
  type RateLimiter,
} from '@keelson/workqueue';
import type { ErrorPolicy } from '../reconcile/error-policy.ts';
import { carriesCluster, type DeclaredRequests } from '../sources/cluster-selection.ts';
import type { ClusterRequest } from '../reconcile/request.ts';
import type { ReconcileContext } from '../reconcile/reconcile.ts';

/**
 * Limits how long requests wait, how often they fail, and how long objects stay without a run. A manager may set
 * defaults for all controllers.
 */
export interface QueueDefaults {
  /**
   * The time after which a waiting request rises to the next higher priority that the queue holds. It then takes turns
   * with the requests of that priority, so that a low priority is served under any load. Default `'10s'`; 0 means that
   * no request rises.
   */
  readonly ageAfter?: Duration;
  /**
   * The number of failed runs after which a request is given up: it is forgotten until its next event. Default 0: no
   * limit.
   */
  readonly maxAttempts?: number;
  /**
   * The longest time from a run of an object of `for` that succeeded or was given up to its next run. That run begins
   * up to 10 % earlier, with the cause `interval` and the priority `priorities.resync`. A shorter `requeueAfter` keeps
   * its time, and failures are retried by the backoff alone. Default 0: no limit.
   */
  readonly maxReconcileInterval?: Duration;
  /**
   * Limits the retries of all requests together, in addition to the backoff of each request. Controllers with the same
   * bucket share its tokens; one in the defaults of a manager is shared by all its controllers. Default: none.
   */
  readonly tokenBucket?: TokenBucket;
}

/** Divides the workers of a controller between groups of requests, and decides about retries. */
export interface QueueOptions<Q extends object> {
  /**
   * Returns the group of a request, such as its namespace, or a path of up to eight groups, such as `[tenant,
   * namespace]`. Within a priority the groups take turns, so that a group with many requests does not delay the others.
   * `undefined`: no group. On an error the request has no group; the error is logged and counted. Default: no groups.
   */
  readonly groupOf?: (request: Q) => Group;
  /**
   * Returns the weight of a group: the number of requests that it hands out in each round, a whole number from 1 to
   * 1000. Receives the path of the group; for `[tenant, namespace]` it is called with `[tenant]` too. Default 1 for
   * every group.
   */
  readonly weightOf?: (path: readonly string[]) => number | undefined;
  /**
   * Decides the delay of retries instead of `backoff`; it receives the key of a request, such as `'namespace/name'`.
   * Give each controller its own, because keys of several controllers can be equal. While it fails, the default backoff
   * decides.
   */
  readonly rateLimiter?: RateLimiter;
  /**
   * Decides what follows an error of the reconcile: a retry, a run after a time, the end of all retries, or no further
   * run. If it throws or returns an invalid value, the default applies, and the error is logged and counted. Default:
   * no retry for a `TerminalError`, and retries with backoff for other errors.
   */
  readonly errorPolicy?: ErrorPolicy<Q>;
  /**
   * Called when a request is given up: after `maxAttempts` failed runs, or after a terminal error. It is a part of the
   * run: the request stays locked until the returned promise settles. Its errors are logged and counted. Default: none.
   */
  readonly onDeadLetter?: (
    request: Q,
    error: unknown,
    context: ReconcileContext,
  ) => Promise<void> | void;
}

/** The checked settings of `QueueDefaults`. Times are in milliseconds. */
export interface QueueSettings {
  readonly ageAfter: number;
  readonly maxAttempts: number;
  readonly maxReconcileInterval: number;
  readonly tokenBucket: TokenBucket | undefined;
}

export const queueDefaultNames: readonly string[] = [
  'ageAfter',
  'maxAttempts',
  'maxReconcileInterval',
  'tokenBucket',
];
export const queueOptionNames: readonly string[] = [
  'groupOf',
  'weightOf',
  'rateLimiter',
  'errorPolicy',
  'onDeadLetter',
];

/** Resolves each setting: from the controller, else from the manager, else the default. Throws `INVALID_OPTION`. */
export function queueSettingsOf(
  own: QueueDefaults,
  shared: QueueDefaults,
  where: string,
): QueueSettings {
  const all: QueueDefaults = { ...shared, ...defined(own) };
  const { ageAfter = '10s', maxAttempts = 0, maxReconcileInterval = 0, tokenBucket } = all;
  checkCount(maxAttempts, `${where}.maxAttempts`, 0);
  if (tokenBucket !== undefined && !(tokenBucket instanceof TokenBucket)) {
    throw invalidOption(`${where}.tokenBucket`, 'must be a TokenBucket');
  }
  return {
    ageAfter: parseDuration(ageAfter, `${where}.ageAfter`),
    maxAttempts,
    maxReconcileInterval: parseDuration(maxReconcileInterval, `${where}.maxReconcileInterval`),
    tokenBucket,
  };
}

/** Returns the options of a queue whose requests carry a cluster: by default the clusters are its groups. */
export function withClusterGroups<Q extends object>(
  options: QueueOptions<Q> & DeclaredRequests,
): QueueOptions<Q> {
  if (options.groupOf !== undefined || !carriesCluster(options)) return options;
  return { ...options, groupOf: ({ cluster }: Q & Partial<ClusterRequest>) => cluster };
}

/** Throws `INVALID_OPTION` for an invalid option of a queue. */
export function checkQueueOptions<Q extends object>(
  options: QueueOptions<Q> & {
    readonly backoff?: unknown;
    readonly for?: unknown;
    readonly watches?: readonly object[];
    readonly maxReconcileInterval?: unknown;
  },
  where: string,
): void {
  if (options.maxReconcileInterval !== undefined && options.for === undefined) {
    throw invalidOption(`${where}.maxReconcileInterval`, 'needs `for`: the kind of the objects');
  }
  for (const name of ['groupOf', 'weightOf', 'errorPolicy', 'onDeadLetter'] as const) {
    if (options[name] !== undefined) checkFunction(options[name], `${where}.${name}`);
  }
  const hasGroups = options.groupOf !== undefined || carriesCluster(options);
  if (options.weightOf !== undefined && !hasGroups) {
    throw invalidOption(`${where}.weightOf`, 'needs `groupOf`');
  }
  const { rateLimiter } = options;
  if (rateLimiter === undefined) return;
  if (options.backoff !== undefined) {
    throw invalidOption(`${where}.rateLimiter`, 'replaces `backoff`: give one of them');
  }
  const methods = ['delay', 'charge', 'forget', 'failures'] as const;
  if (methods.some((method) => typeof rateLimiter?.[method] !== 'function')) {
    throw invalidOption(`${where}.rateLimiter`, `must have the methods ${methods.join(', ')}`);
  }
}

/** The limits of a controller's retries: its own limiter or the backoff, and the shared bucket. */
export function limitsOf(
  rateLimiter: RateLimiter | undefined,
  {
    backoff,
    tokenBucket,
  }: Pick<QueueSettings, 'tokenBucket'> & { readonly backoff: BackoffDelays },
): LimitOptions {
  if (rateLimiter !== undefined) {
    const all =
      tokenBucket === undefined ? rateLimiter : new CombinedLimiter(rateLimiter, tokenBucket);
    return { rateLimiter: all };
  }
  if (tokenBucket === undefined) return { backoff };
  const counter = new ExponentialBackoff(backoff);
  return { rateLimiter: new CombinedLimiter(counter, tokenBucket), counter };
}

function defined(own: QueueDefaults): QueueDefaults {
  return Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
}
