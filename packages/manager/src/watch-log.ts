import { resourceId } from '@keelson/apimachinery';
import type { InformerObserver, WatchHealth, WatchIdentity, WatchState } from '@keelson/informer';
import { briefly } from './brief-error.ts';
import type { Logger, LogFacts } from './logger.ts';
import type { WatchMetrics } from './watch-metrics.ts';

/** Waiting for a kind that is not served is nothing to warn of: the watch goes live when it is. */
const troubles: Partial<Record<WatchState, 'info' | 'warn'>> = {
  parked: 'info',
  'backing-off': 'warn',
  forbidden: 'warn',
  stale: 'warn',
};

/** What a cache reports to the manager that made it: counted by its metrics, and told in its log. */
export function watchLog(metrics: WatchMetrics, log: Logger): InformerObserver {
  const troubled = new Map<WatchIdentity, WatchState>();
  return {
    watchStarted: (watch) => metrics.watchStarted(watch),
    watchStopped(watch) {
      troubled.delete(watch);
      metrics.watchStopped(watch);
    },
    listing: (watch, cause) => metrics.listing(watch, cause),
    restarting: (watch, cause) => metrics.restarting(watch, cause),
    event: (watch, type) => metrics.event(watch, type),
    lingerReused: () => metrics.lingerReused(),
    healthChanged: (watch, health) => tellHealth(watch, health, { troubled, log }),
    skipped: (watch, cause, error) =>
      log.debug({ ...factsOf(watch), cause, err: error }, 'object skipped'),
    handlerError: (watch, owner, error) =>
      log.error({ ...factsOf(watch), owner, err: error }, 'event handler failed'),
    indexerError: (watch, indexer, error) =>
      log.error({ ...factsOf(watch), indexer, err: error }, 'indexer failed'),
    loopRestarted: (watch, error) =>
      log.error({ ...factsOf(watch), err: error }, 'reflector restarted'),
    handleLeaked: (watch, owner) =>
      log.warn({ ...factsOf(watch), owner }, 'handle was never released'),
  };
}

/** One line when a trouble begins or becomes another, one when the watch is live again. */
function tellHealth(
  watch: WatchIdentity,
  { state, reason, verb, lastError }: WatchHealth,
  { troubled, log }: { troubled: Map<WatchIdentity, WatchState>; log: Logger },
): void {
  const level = troubles[state];
  if (level !== undefined && troubled.get(watch) !== state) {
    troubled.set(watch, state);
    const err = briefly(lastError);
    log[level]({ ...factsOf(watch), state, reason, verb, err }, 'watch is not live');
  }
  if (state === 'live' && troubled.delete(watch)) log.info(factsOf(watch), 'watch is live again');
}

function factsOf({ query }: WatchIdentity): LogFacts {
  const { resource, namespace, labelSelector, fieldSelector } = query;
  return { resource: resourceId(resource), namespace, labelSelector, fieldSelector };
}
