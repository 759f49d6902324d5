import {
  checkOptions,
  checkSignal,
  invalidOption,
  parseDuration,
  resourceId,
  systemClock,
  type Clock,
  type ApiResource,
  type Duration,
} from '@keelson/apimachinery';
import { checkResource } from '../contract/check-arguments.ts';
import { informerError } from '../errors.ts';
import type { View } from '../sharing/view.ts';
import type { WatchMembers } from '../sharing/watch-text.ts';

/** Limits a wait for the initial state of watches. */
export interface WaitForSyncOptions {
  /** Waits for the watches of these kinds only. Default: the watches of all required handles. */
  readonly resources?: readonly ApiResource[];
  /** How long to wait: milliseconds, or a string such as `'30s'`. Default: no timeout. */
  readonly timeout?: Duration;
  /** Ends the wait with `NOT_SYNCED`, whose cause is the reason of the signal. Default: none. */
  readonly signal?: AbortSignal;
}

/** The views that a wait is about. */
export interface SyncScope {
  views(): Iterable<View>;
  /** Returns the code that declares a watch, for error facts. */
  declare(resource: ApiResource, members: WatchMembers): string;
}

/**
 * Waits until watches have synced. Watches may change during the wait: it ignores a watch whose
 * last handle is released, and includes a watch that is acquired.
 */
export class SyncWaits {
  readonly #waiting = new Set<() => void>();
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Checks all waits again after a sync, an acquire or a release. */
  changed(): void {
    for (const wake of this.#waiting) wake();
  }

  async wait(scope: SyncScope, options: WaitForSyncOptions): Promise<void> {
    checkOptions(options, ['resources', 'timeout', 'signal'], 'waitForSync');
    checkSignal(options.signal, 'waitForSync.signal');
    for (const resource of listOf(options)) checkResource(resource, 'waitForSync.resources');
    const limit = limitOf(options, this.#clock);
    try {
      let waiting = unsynced(scope, options.resources);
      while (waiting.length > 0) {
        if (limit.reached()) throw notSynced(waiting, options.signal?.reason);
        await this.#change(limit);
        if (limit.reached() || options.resources !== undefined || !isStillWaiting(waiting)) {
          waiting = unsynced(scope, options.resources);
        }
      }
    } finally {
      limit.release();
    }
  }

  async #change(limit: Limit): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    limit.onReached(resolve);
    await (this.#clock.activity?.wait(promise) ?? promise);
    this.#waiting.delete(resolve);
  }
}

function listOf({ resources = [] }: WaitForSyncOptions): readonly ApiResource[] {
  if (Array.isArray(resources)) return resources;
  throw invalidOption('waitForSync.resources', 'must be a list');
}

/** Ends a wait at its timeout or when its signal aborts. */
interface Limit {
  reached(): boolean;
  onReached(listener: () => void): void;
  release(): void;
}

function limitOf({ timeout, signal }: WaitForSyncOptions, clock: Clock): Limit {
  let isOver = signal?.aborted === true;
  let listener: (() => void) | undefined;
  const end = (): void => {
    isOver = true;
    listener?.();
  };
  const stopTimer =
    timeout === undefined
      ? undefined
      : clock.startTimer(parseDuration(timeout, 'waitForSync.timeout'), end);
  signal?.addEventListener('abort', end);
  return {
    reached: () => isOver,
    onReached: (next) => {
      listener = next;
    },
    release: () => {
      stopTimer?.();
      signal?.removeEventListener('abort', end);
    },
  };
}

function unsynced(scope: SyncScope, resources: readonly ApiResource[] | undefined): View[] {
  const held = [...scope.views()].filter(({ handles }) => handles.size > 0);
  const wanted =
    resources === undefined
      ? held.filter(isRequired)
      : resources.flatMap((resource) => viewsOf(scope, held, resource));
  return wanted.filter(({ hasSynced }) => !hasSynced);
}

/**
 * Removes views from the end of the list that have synced or no longer have a required handle. Returns true if one is
 * left. It does not check the views before that one, so the cost of many syncs is linear.
 */
function isStillWaiting(waiting: View[]): boolean {
  for (let last = waiting.at(-1); last !== undefined; last = waiting.at(-1)) {
    if (!last.hasSynced && isRequired(last)) return true;
    waiting.pop();
  }
  return false;
}

function isRequired({ handles }: View): boolean {
  for (const { required } of handles) if (required) return true;
  return false;
}

function viewsOf(scope: SyncScope, held: readonly View[], resource: ApiResource): View[] {
  const id = resourceId(resource);
  const found = held.filter(({ query }) => resourceId(query.resource) === id);
  if (found.length > 0) return found;
  const declare = scope.declare(resource, {});
  throw informerError('NOT_WATCHED', { resource: id, declare });
}

function notSynced(views: readonly View[], cause: unknown): Error {
  const waiting = views.map(({ query, informer: { health } }) => ({
    resource: resourceId(query.resource),
    state: health.current.state,
    reason: health.current.reason,
  }));
  return informerError('NOT_SYNCED', { waiting }, cause);
}
