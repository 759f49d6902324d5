import {
  checkOptions,
  checkSignal,
  invalidOption,
  parseDuration,
  resourceId,
  startTimer,
  type ApiResource,
  type Duration,
} from '@keelson/apimachinery';
import { checkObject } from '../contract/check-arguments.ts';
import { informerError } from '../errors.ts';
import type { SharedWatch } from './shared-watch.ts';

/** Options of waiting for the initial state. */
export interface WaitForSyncOptions {
  /** Only these kinds; every required handle's watch without it. */
  readonly resources?: readonly ApiResource[];
  /** Milliseconds or a duration text; no limit without it. */
  readonly timeout?: Duration;
  readonly signal?: AbortSignal;
}

/** Whose watches are waited for. */
export interface SyncScope {
  watches(): Iterable<SharedWatch>;
  /** What has to be written so that the watch exists. */
  declare(watch: string): string;
}

/**
 * Waits for watches that come and go meanwhile: one whose last handle is released is no longer waited
 * for, one that is acquired is.
 */
export class SyncWaits {
  readonly #waiting = new Set<() => void>();

  /** A watch has synced, or a handle was acquired or released. */
  changed(): void {
    for (const wake of this.#waiting) wake();
  }

  async wait(scope: SyncScope, options: WaitForSyncOptions): Promise<void> {
    checkOptions(options, ['resources', 'timeout', 'signal'], 'waitForSync');
    checkSignal(options.signal, 'waitForSync.signal');
    for (const resource of listOf(options)) checkObject(resource, 'waitForSync.resources');
    const limit = limitOf(options);
    try {
      for (;;) {
        const waiting = unsynced(scope, options.resources);
        if (waiting.length === 0) return;
        if (limit.reached()) throw notSynced(waiting, options.signal?.reason);
        await this.#change(limit);
      }
    } finally {
      limit.release();
    }
  }

  async #change(limit: Limit): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    limit.onReached(resolve);
    await promise;
    this.#waiting.delete(resolve);
  }
}

function listOf({ resources = [] }: WaitForSyncOptions): readonly ApiResource[] {
  if (Array.isArray(resources)) return resources;
  throw invalidOption('waitForSync.resources', 'must be a list');
}

/** How long a wait may take. */
interface Limit {
  reached(): boolean;
  onReached(listener: () => void): void;
  release(): void;
}

function limitOf({ timeout, signal }: WaitForSyncOptions): Limit {
  let isOver = signal?.aborted === true;
  let listener: (() => void) | undefined;
  const end = (): void => {
    isOver = true;
    listener?.();
  };
  const stopTimer =
    timeout === undefined
      ? undefined
      : startTimer(parseDuration(timeout, 'waitForSync.timeout'), end);
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

function unsynced(
  scope: SyncScope,
  resources: readonly ApiResource[] | undefined,
): readonly SharedWatch[] {
  const held = [...scope.watches()].filter(({ holders }) => holders.size > 0);
  const wanted =
    resources === undefined
      ? held.filter(({ holders }) => [...holders].some(({ required }) => required))
      : resources.flatMap((resource) => watchesOf(scope, held, resource));
  return wanted.filter(({ informer }) => !informer.hasSynced);
}

function watchesOf(
  scope: SyncScope,
  held: readonly SharedWatch[],
  resource: ApiResource,
): SharedWatch[] {
  const id = resourceId(resource);
  const found = held.filter(({ informer }) => resourceId(informer.identity.query.resource) === id);
  if (found.length > 0) return found;
  const declare = scope.declare(`{ resource: ${resource.kind} }`);
  throw informerError('NOT_WATCHED', { resource: id, declare });
}

function notSynced(watches: readonly SharedWatch[], cause: unknown): Error {
  const waiting = watches.map(({ informer: { identity, health } }) => ({
    resource: resourceId(identity.query.resource),
    state: health.current.state,
    reason: health.current.reason,
  }));
  return informerError('NOT_SYNCED', { waiting }, cause);
}
