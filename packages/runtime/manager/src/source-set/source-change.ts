import { abortable } from '@keelson/apimachinery';
import type { KindSource } from '../sources/kind-source.ts';
import { unreadySources, type UnreadySource } from '../sources/unready-source.ts';
import {
  RequestHandover,
  passOn,
  type HandoverPair,
  type ReassignableQueue,
} from './request-handover.ts';
import { ComingWatches } from './coming-watches.ts';
import type { Left, NextPlan } from './next-plan.ts';
import type { Source } from './source.ts';
import type { SourceSet } from './source-set.ts';
import { SyncWait, type SyncWaitOptions } from './sync-wait.ts';

/**
 * The condition that must hold before a change begins.
 *
 * - `delivered`: the new watches that the controller requires, or that replace ones it reads, have queued their
 *   objects.
 * - `readable`: the objects of these sources can be read, or the server does not serve or allow their kind.
 */
export type Until<Q extends object> = 'delivered' | { readonly readable: readonly Source<Q>[] };

/**
 * Puts a next plan in force when its watches can replace those that leave (make before break). Requests and deletions
 * that the leaving watches have not delivered pass to the new ones.
 */
export class SourceChange<Q extends object> {
  readonly #sources: SourceSet<Q>;
  readonly #queue: ReassignableQueue<Q>;
  readonly #plan: NextPlan<Q>;
  readonly #until: Until<Q>;
  #handovers: readonly RequestHandover<Q>[] = [];

  constructor(
    sources: SourceSet<Q>,
    queue: ReassignableQueue<Q>,
    plan: NextPlan<Q>,
    until: Until<Q>,
  ) {
    this.#sources = sources;
    this.#queue = queue;
    this.#plan = plan;
    this.#until = until;
  }

  /** The watches that the change waits for. */
  get awaited(): readonly KindSource<Q>[] {
    const until = this.#until;
    if (until !== 'delivered') {
      const members = until.readable.flatMap((one) => (one.isDetached ? [] : one.members));
      return members.filter(({ objects }) => objects.isPending);
    }
    if (!this.#sources.isOpen) return [];
    const { added = [], heirs = new Map<Source<Q>, readonly Source<Q>[]>() } = this.#plan;
    const replacing = new Set(
      [...heirs].filter(([former]) => isRead(former)).flatMap(([, next]) => next),
    );
    const staying = this.#sources.all.filter((one) => one.required || isRead(one));
    const starting = added.filter(
      (one) => !(one.isDetached && one.plan.spans) && (one.required || replacing.has(one)),
    );
    return [
      ...staying.flatMap(({ coming }) => coming),
      ...starting.flatMap(({ members }) => members),
    ];
  }

  /** The watches that only the next plan has. */
  get coming(): readonly KindSource<Q>[] {
    const staying = this.#sources.all.flatMap(({ coming }) => coming);
    return [...staying, ...(this.#plan.added ?? []).flatMap(({ members }) => members)];
  }

  /** True if the change has nothing to wait for and nothing to compare. */
  get isReady(): boolean {
    return this.#pending().length === 0 && this.#pairs().length === 0;
  }

  /**
   * Waits until the change has nothing to wait for, then compares the objects of the watches that leave with those of the
   * new ones. `signal` ends both steps. Rejects if a new source is removed meanwhile.
   */
  async prepare(signal: AbortSignal): Promise<void> {
    await abortable(this.#settled(), [signal]);
    await this.#compare(signal);
    // The change may have been cancelled during the comparison.
    signal.throwIfAborted();
  }

  async #settled(): Promise<void> {
    const isDelivered = this.#until === 'delivered';
    for (let pending = this.#pending(); pending.length > 0; pending = this.#pending()) {
      await Promise.all(
        pending.map((one) => (isDelivered ? one.syncedOrRemoved() : one.objects.readable())),
      );
      // A source with `clusters` continues in its other clusters.
      const removed = this.#plan.added?.find(({ isDetached, plan }) => isDetached && !plan.spans);
      if (removed !== undefined) throw removed.removed();
    }
  }

  /** Settles with the promise. Rejects with `CACHE_SYNC_TIMEOUT` if the change waits for its watches for too long. */
  limited(wait: Promise<void>, limits: Omit<SyncWaitOptions, 'unready'>): Promise<void> {
    const unready = (): UnreadySource[] => unreadySources(this.awaited);
    return new SyncWait({ ...limits, unready }).until(wait);
  }

  /** Compares the objects in slices. */
  async #compare(signal: AbortSignal): Promise<void> {
    // Thousands of pairs may share a list of heirs.
    const readableOf = new Map<readonly KindSource<Q>[], readonly KindSource<Q>[]>();
    const handovers = this.#pairs().flatMap(({ heirs: all, ...pair }) => {
      // A set does not wait for every watch. The objects of an unreadable one are unknown, so they do not count as
      // missing.
      const isWhole = this.#until === 'delivered';
      const heirs =
        readableOf.get(all) ?? (isWhole ? all : all.filter((one) => one.objects.isReadable));
      readableOf.set(all, heirs);
      return heirs.length === 0 ? [] : [new RequestHandover({ ...pair, heirs }, this.#queue)];
    });
    for (const handover of handovers) await handover.compare(signal);
    this.#handovers = handovers;
  }

  /**
   * Puts the plan in force in one step, and passes on the requests and deletions that the leaving watches have not
   * delivered. Returns the detached watches.
   */
  commit(plan: NextPlan<Q> = this.#plan): readonly Left<Q>[] {
    for (const handover of this.#handovers) handover.deliverMissing();
    const left = this.#sources.commit(plan);
    for (const handover of this.#handovers) handover.reassign();
    // Namespaces may have come after the comparison.
    passOn(left, this.#queue, new Set(this.#handovers.map(({ former }) => former)));
    return left;
  }

  #pending(): readonly KindSource<Q>[] {
    const { awaited } = this;
    return this.#until === 'delivered' ? awaited.filter(({ hasSynced }) => !hasSynced) : awaited;
  }

  /** Returns the watches that leave, each with the new ones that watch one of its namespaces. */
  #pairs(): readonly HandoverPair<Q>[] {
    // The sources that leave may share their heirs.
    const comingOf = new Map<readonly Source<Q>[], ComingWatches<Q>>();
    const replaced = [...(this.#plan.heirs ?? [])].map(([source, heirs]) => {
      const coming =
        comingOf.get(heirs) ?? new ComingWatches(heirs.flatMap(({ members }) => members));
      comingOf.set(heirs, coming);
      return pairsOf(source, source.members, coming);
    });
    if (this.#until !== 'delivered') return replaced.flat();
    const staying = this.#sources.all.map((one) =>
      pairsOf(one, one.leaving, new ComingWatches(one.coming)),
    );
    return [...replaced, ...staying].flat();
  }
}

function pairsOf<Q extends object>(
  { plan: { role } }: Source<Q>,
  leaving: readonly KindSource<Q>[],
  coming: ComingWatches<Q>,
): readonly HandoverPair<Q>[] {
  if (role === 'reads') return [];
  return leaving.flatMap((former) => {
    const heirs = coming.reaching(former);
    return heirs.length === 0 ? [] : [{ role, former, heirs }];
  });
}

/** True if the controller reads objects of a watch that leaves. */
function isRead<Q extends object>({ leaving }: Source<Q>): boolean {
  return leaving.some(({ hasSynced }) => hasSynced);
}
