import { resourceId } from '@keelson/apimachinery';
import type { InformerObserver, WatchHealth, WatchIdentity, WatchState } from '@keelson/informer';
import { briefError } from '../logging/error-text.ts';
import type { Logger, LogFacts } from '../logging/logger.ts';
import type { WatchMetrics } from './watch-metrics.ts';

/** The level by state. A kind that is not served yet is no warning: the watch goes live as soon as it is served. */
const levelOf: Partial<Record<WatchState, 'info' | 'warn'>> = {
  parked: 'info',
  'backing-off': 'warn',
  forbidden: 'warn',
  stale: 'warn',
};

/** An observer that counts what a cache reports in the metrics of the manager and writes it to its log. */
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
    healthChanged: (watch, health) => logHealth(watch, health, { troubled, log }),
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

/** Logs one line when the state of a watch gets worse or changes its kind, and one when the watch is live. */
function logHealth(
  watch: WatchIdentity,
  { state, reason, verb, lastError }: WatchHealth,
  { troubled, log }: { troubled: Map<WatchIdentity, WatchState>; log: Logger },
): void {
  const level = levelOf[state];
  if (level !== undefined && troubled.get(watch) !== state) {
    troubled.set(watch, state);
    const err = briefError(lastError);
    log[level]({ ...factsOf(watch), state, reason, verb, err }, 'watch is not live');
  }
  if (state === 'live' && troubled.delete(watch)) log.info(factsOf(watch), 'watch is live');
}

function factsOf({ query }: WatchIdentity): LogFacts {
  const { resource, namespace, labelSelector, fieldSelector } = query;
  return { resource: resourceId(resource), namespace, labelSelector, fieldSelector };
}
