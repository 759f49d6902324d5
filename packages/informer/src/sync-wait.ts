import { parseDuration, resourceId, type ApiResource, type Duration } from '@keelson/apimachinery';
import { informerError } from './errors.ts';
import type { SharedWatch } from './shared-watch.ts';

/** Options of waiting for the initial state. */
export interface WaitForSyncOptions {
  /** Only these kinds; every required handle's watch without it. */
  readonly resources?: readonly ApiResource[];
  /** Milliseconds or a duration text; no limit without it. */
  readonly timeout?: Duration;
  readonly signal?: AbortSignal;
}

/** Waits until every watch asked for has synced, or the deadline or the signal comes first. */
export async function waitForSync(
  watches: readonly SharedWatch[],
  { resources, timeout, signal }: WaitForSyncOptions,
): Promise<void> {
  const ids = resources?.map(resourceId);
  const wanted = watches.filter((watch) => isWanted(watch, ids));
  const milliseconds =
    timeout === undefined ? undefined : parseDuration(timeout, 'waitForSync.timeout');
  const giveUp = Promise.withResolvers<never>();
  const timer =
    milliseconds === undefined
      ? undefined
      : setTimeout(() => giveUp.reject(notSynced(wanted)), milliseconds);
  const onAbort = (): void => giveUp.reject(notSynced(wanted, signal?.reason));
  if (signal?.aborted === true) onAbort();
  else signal?.addEventListener('abort', onAbort);
  try {
    await Promise.race([
      Promise.all(wanted.map(({ informer }) => informer.synced)),
      giveUp.promise,
    ]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

function isWanted({ informer, holders }: SharedWatch, ids: readonly string[] | undefined): boolean {
  if (ids !== undefined) return ids.includes(resourceId(informer.identity.query.resource));
  return [...holders].some(({ required }) => required);
}

function notSynced(wanted: readonly SharedWatch[], cause?: unknown): Error {
  const waiting = wanted
    .filter(({ informer }) => !informer.hasSynced)
    .map(({ informer: { identity, health } }) => ({
      resource: resourceId(identity.query.resource),
      state: health.current.state,
      reason: health.current.reason,
    }));
  return informerError('NOT_SYNCED', { waiting }, cause);
}
