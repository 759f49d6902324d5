import { resourceId } from '@keelson/apimachinery';
import type { WatchHealth } from '@keelson/informer';
import type { KindSource } from './kind-source.ts';
import { clusterOf } from './source-options.ts';
import { isBlocked } from './sync-clock.ts';

/** A required watch that keeps the manager from being ready. */
export interface UnreadySource {
  readonly source: string;
  readonly resource: string;
  /** The further cluster; `undefined` for the main cluster. */
  readonly cluster: string | undefined;
  /** `undefined` for a watch of all namespaces. */
  readonly namespace: string | undefined;
  readonly state: WatchHealth['state'] | 'not started';
  readonly reason: string;
  /** The verb that the API server forbids. */
  readonly verb: 'list' | 'watch' | undefined;
  readonly error: Error | undefined;
  /** True while the server does not serve or allow the kind. */
  readonly isBlocked: boolean;
  /** The milliseconds since the start of the watch in which the kind was not blocked. */
  readonly syncingMs: number;
}

/** Returns the required watches that have not synced, or that the server does not serve or allow. */
export function unreadySources<Q extends object>(
  sources: readonly KindSource<Q>[],
): UnreadySource[] {
  return sources.filter(isUnready).map(describe);
}

function isUnready<Q extends object>({ hasSynced, health }: KindSource<Q>): boolean {
  return !hasSynced || health === undefined || isBlocked(health);
}

function describe<Q extends object>(source: KindSource<Q>): UnreadySource {
  const { name, options, health, syncingMs } = source;
  return {
    source: name,
    resource: resourceId(options.resource),
    cluster: clusterOf(options),
    namespace: options.namespace || undefined,
    state: health?.state ?? 'not started',
    reason: health?.reason ?? 'the watch is not open',
    verb: health?.verb,
    error: health?.lastError,
    isBlocked: health !== undefined && isBlocked(health),
    syncingMs,
  };
}
