import { resourceId } from '@keelson/apimachinery';
import type {
  BudgetChange,
  InformerObserver,
  WatchHealth,
  WatchIdentity,
  WatchState,
} from '@keelson/informer';
import { briefError } from '../logging/error-text.ts';
import type { Logger, LogFacts } from '../logging/logger.ts';
import type { WatchMetrics } from './watch-metrics.ts';

/** The states that are logged as warnings. */
const failures: ReadonlySet<WatchState> = new Set([
  'parked',
  'backing-off',
  'forbidden',
  'over-budget',
  'stale',
]);

/** The reports of a cache that the metrics count. */
type Counted = Pick<WatchMetrics, keyof WatchMetrics & keyof InformerObserver>;

/** An observer that passes the reports of a cache to the metrics of the manager and writes failures to its log. */
export function watchLog(metrics: WatchMetrics, log: Logger): InformerObserver & Counted {
  const failing = new Map<WatchIdentity, string>();
  return {
    watchStarted: metrics.watchStarted.bind(metrics),
    watchStopped(watch) {
      failing.delete(watch);
      metrics.watchStopped(watch);
    },
    listing: metrics.listing.bind(metrics),
    restarting: metrics.restarting.bind(metrics),
    event: metrics.event.bind(metrics),
    lingerReused: metrics.lingerReused.bind(metrics),
    ownWriteEnded: metrics.ownWriteEnded.bind(metrics),
    healthChanged: (watch, health) => logHealth(watch, health, { failing, log }),
    memoryBudgetChanged: (change) => logBudget(change, log),
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

/**
 * Logs one line for each failing state that a watch enters, another for its missing rule, and one when it is live
 * again.
 */
function logHealth(
  watch: WatchIdentity,
  { state, reason, verb, lastError }: WatchHealth,
  { failing, log }: { failing: Map<WatchIdentity, string>; log: Logger },
): void {
  // A forbidden watch may get a new reason later, with the missing rule. It is logged as another failure.
  const failure = state === 'forbidden' ? `${state} ${reason}` : state;
  if (failures.has(state) && failing.get(watch) !== failure) {
    failing.set(watch, failure);
    const err = briefError(lastError);
    const cure = state === 'parked' ? cureOf(watch) : undefined;
    log.warn({ ...factsOf(watch), state, reason, verb, err, cure }, 'watch is not live');
  }
  if (state === 'live' && failing.delete(watch)) log.info(factsOf(watch), 'watch is live');
}

/** Names the definition that serves a kind. The groups of Kubernetes itself need another version of the cluster. */
function cureOf({ query }: WatchIdentity): string {
  const { group, version, plural } = query.resource;
  const isCustom = group.includes('.') && !group.endsWith('.k8s.io');
  return isCustom
    ? `install the CustomResourceDefinition ${plural}.${group} with the version ${version}`
    : `the cluster does not serve ${group === '' ? version : `${group}/${version}`}: enable it, or watch another version`;
}

const budgetMessages: Readonly<Record<BudgetChange['change'], string>> = {
  limited: 'memory budget limits a watch',
  lifted: 'memory budget no longer limits a watch',
  exceeded: 'memory budget is exceeded',
  within: 'memory budget is no longer exceeded',
};

function logBudget({ change, watch, ...use }: BudgetChange, log: Logger): void {
  const level = change === 'limited' || change === 'exceeded' ? 'warn' : 'info';
  log[level]({ ...(watch && factsOf(watch)), ...use }, budgetMessages[change]);
}

function factsOf({ query }: WatchIdentity): LogFacts {
  const { resource, namespace, labelSelector, fieldSelector } = query;
  return { resource: resourceId(resource), namespace, labelSelector, fieldSelector };
}
