import type { BackoffDelays, Clock } from '@keelson/apimachinery';
import { WorkQueue, type WorkQueueError } from '@keelson/workqueue';
import type { CauseSet, QueuedCause } from '../reconcile/cause.ts';
import type { Logger } from '../logging/logger.ts';
import type { QueuedRequest } from '../reconcile/queued-request.ts';
import type { IdentifiedRequest } from '../reconcile/request.ts';
import type { UserCode } from '../user-code/user-code.ts';
import type { ControllerObserver } from './controller-observer.ts';
import { queueClock } from './queue-clock.ts';
import { limitsOf, type QueueOptions, type QueueSettings } from './queue-options.ts';

/** The options of a controller that its queue uses. */
export interface RequestQueueOptions<Q extends object> {
  readonly controller: string;
  readonly queueOptions: QueueOptions<Q>;
  readonly settings: QueueSettings & { readonly backoff: BackoffDelays };
  readonly dependencies: { readonly log: Logger; readonly clock: Clock };
  readonly observer: ControllerObserver;
  readonly userCode: UserCode;
  /** Called with the key of a request that has left the queue, for any reason. */
  readonly left: (key: unknown) => void;
}

/** The queue of a controller. */
export type RequestQueue<Q extends object> = WorkQueue<QueuedRequest<Q>, QueuedCause, CauseSet>;

/** Returns the causes that take over a request from a source. */
export type HeirSets<Q extends object> = (
  request: IdentifiedRequest<Q>,
  source: CauseSet,
) => readonly CauseSet[];

/** Creates the queue of a controller, which calls the functions of the user in their async context. */
export function requestQueueOf<Q extends object>(options: RequestQueueOptions<Q>): RequestQueue<Q> {
  const { observer, settings, userCode } = options;
  const { groupOf, weightOf, rateLimiter } = options.queueOptions;
  const { counter: _, ...limits } = limitsOf(rateLimiter, settings);
  return new WorkQueue<QueuedRequest<Q>, QueuedCause, CauseSet>({
    name: options.controller,
    keyOf: 'key',
    causes: { sourceOf: (cause) => cause.source },
    ageAfter: settings.ageAfter,
    ...queueClock(options.dependencies.clock),
    ...limits,
    ...(groupOf && {
      groups: {
        groupOf: (item) => userCode.call(groupOf, item.request),
        ...(weightOf && { weightOf: (path) => userCode.call(weightOf, path) }),
      },
    }),
    onLeave: options.left,
    onError: failureReport(options),
    observer: observer.queue,
  });
}

/** Passes the requests of these causes to the causes that replace them, and drops those without any. */
export function reassign<Q extends object>(
  queue: RequestQueue<Q>,
  from: ReadonlySet<CauseSet>,
  heirsOf: HeirSets<Q>,
): void {
  queue.reassign(
    (source) => from.has(source),
    (item, cause) => {
      // An entry keeps eight causes at most. Without a kept cause, any of the sources may have queued it.
      const sources = cause === undefined ? [...from] : [cause.source];
      const heirs = new Set(sources.flatMap((source) => heirsOf(item, source)));
      return Array.from(heirs, (heir) => heir.by[cause?.reason ?? 'updated']);
    },
  );
}

/**
 * Counts the errors of the functions. Logs only the first of each, because one that fails once usually fails for every
 * request.
 */
function failureReport<Q extends object>({
  dependencies,
  observer,
}: RequestQueueOptions<Q>): (error: WorkQueueError) => void {
  const failed = new Set<unknown>();
  return (error) => {
    observer.queueFunctionFailed();
    if (failed.has(error.facts['function'])) return;
    failed.add(error.facts['function']);
    dependencies.log.error({ err: error }, 'function of the queue failed');
  };
}
