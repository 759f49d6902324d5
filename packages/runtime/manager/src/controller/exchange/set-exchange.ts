import { resourceId } from '@keelson/apimachinery';
import type { KindSource } from '../sources/kind-source.ts';
import { clusterOf, type WatchEnd } from '../sources/source-options.ts';
import type { SourceWatches } from '../sources/source-watches.ts';
import { Handover, reaching } from './handover.ts';
import type { ReassignableQueue } from './source-exchange.ts';

/** The watches of a set after a change, those that are new, and those that leave. */
interface SetDifference<Q extends object> {
  readonly staying: readonly SourceWatches<Q>[];
  readonly added: readonly SourceWatches<Q>[];
  readonly leaving: readonly SourceWatches<Q>[];
}

/** A watch that leaves, and new ones of its kind that reach a namespace of it. */
interface Pair<Q extends object> {
  readonly former: KindSource<Q>;
  readonly candidates: readonly KindSource<Q>[];
}

/**
 * Lets the watches of a set leave when those that stay can be read, and passes requests to new watches of the same kind.
 * A watch whose kind the server does not serve or allow keeps no other one.
 */
export class SetExchange<Q extends object> {
  readonly #queue: ReassignableQueue<Q>;
  readonly #staying: readonly SourceWatches<Q>[];
  /** The leaving watches with new ones of their kind. */
  readonly #pairs: readonly Pair<Q>[];
  #handovers: readonly Handover<Q>[] = [];

  constructor(queue: ReassignableQueue<Q>, { staying, added, leaving }: SetDifference<Q>) {
    this.#queue = queue;
    this.#staying = staying;
    this.#pairs = leaving.flatMap((source) => pairsOf(source, added));
  }

  /** The watches that have not synced. */
  get awaited(): readonly KindSource<Q>[] {
    return this.#staying
      .filter(({ isDetached }) => !isDetached)
      .flatMap(({ members }) => members)
      .filter(({ objects }) => objects.isPending);
  }

  /** True if `prepare` has nothing to do. */
  get isReady(): boolean {
    return this.awaited.length === 0 && this.#pairs.length === 0;
  }

  /** Waits for the watches that have not synced. Then compares the objects of both sides, in slices. */
  async prepare(signal: AbortSignal): Promise<void> {
    for (let pending = this.awaited; pending.length > 0; pending = this.awaited) {
      await Promise.all(pending.map(({ objects }) => objects.settled()));
    }
    const keyOf = (request: Q): string => this.#queue.keyOf(request);
    this.#handovers = this.#pairs.flatMap(({ former, candidates }) => {
      // The objects of a watch that has not synced are unknown, and not missing.
      const heirs = candidates.filter(({ objects }) => objects.isReadable);
      return heirs.length === 0 ? [] : [new Handover({ role: 'watch', former, heirs, keyOf })];
    });
    for (const handover of this.#handovers) await handover.compare(signal);
  }

  /** Passes the requests on. Called while the leaving watches are in force. */
  handOver(): void {
    for (const handover of this.#handovers) handover.deliverMissing();
    for (const { causes, heirsOf } of this.#handovers)
      this.#queue.reassign(new Set(causes), heirsOf);
  }
}

function pairsOf<Q extends object>(
  source: SourceWatches<Q>,
  added: readonly SourceWatches<Q>[],
): readonly Pair<Q>[] {
  // The function deletes what the objects have led to, so nothing is passed on.
  if ((source.options as WatchEnd).onWatchRemoved !== undefined) return [];
  const others = added.filter((one) => isOfKind(one, source)).flatMap(({ members }) => members);
  return source.members.flatMap((former) => {
    const candidates = others.filter((heir) => reaching(heir, former));
    return candidates.length === 0 ? [] : [{ former, candidates }];
  });
}

function isOfKind<Q extends object>(
  { options: one }: SourceWatches<Q>,
  { options: other }: SourceWatches<Q>,
): boolean {
  return (
    resourceId(one.resource) === resourceId(other.resource) && clusterOf(one) === clusterOf(other)
  );
}
