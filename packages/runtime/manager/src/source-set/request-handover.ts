import { TimeSlice } from '@keelson/apimachinery';
import type { InformerEvent, ObjectView } from '@keelson/informer';
import type { CauseSet } from '../reconcile/cause.ts';
import type { IdentifiedRequest, Request } from '../reconcile/request.ts';
import type { HeirSets } from '../run/request-queue.ts';
import type { KindSource } from '../sources/kind-source.ts';
import type { SourceRole } from '../sources/source-options.ts';
import type { Left } from './next-plan.ts';
import type { Source } from './source.ts';

/** The methods of a controller's queue that pass requests to other watches. */
export interface ReassignableQueue<Q extends object> {
  /** The key of a request. Throws for an invalid one. */
  keyOf(request: Q): string;
  reassign(from: ReadonlySet<CauseSet>, heirsOf: HeirSets<Q>): void;
}

/** A watch that leaves, and the watches that replace it. */
export interface HandoverPair<Q extends object> {
  readonly role: SourceRole;
  readonly former: KindSource<Q>;
  /** The watches that reach a namespace of the former one. */
  readonly heirs: readonly KindSource<Q>[];
}

/**
 * Passes the requests of a leaving watch to its heirs, the watches that replace it. Drops the requests of objects that
 * no heir selects. Delivers to an heir each deletion that neither watch has received.
 */
export class RequestHandover<Q extends object> {
  readonly #pair: HandoverPair<Q>;
  readonly #queue: ReassignableQueue<Q>;
  /** Objects that the former watch has and the heirs select but lack: they may have been deleted in between. */
  #missing: readonly ObjectView[] = [];
  /** The keys of the requests whose objects no heir selects. */
  readonly #dropped = new Set<string>();

  constructor(pair: HandoverPair<Q>, queue: ReassignableQueue<Q>) {
    this.#pair = pair;
    this.#queue = queue;
  }

  /** The watch that leaves. */
  get former(): KindSource<Q> {
    return this.#pair.former;
  }

  get hasHeirs(): boolean {
    return this.#pair.heirs.length > 0;
  }

  /** Compares the objects of the watches in slices. */
  async compare(signal: AbortSignal): Promise<void> {
    const { role, former, heirs } = this.#pair;
    const slice = new TimeSlice(() => performance.now());
    const missing: ObjectView[] = [];
    const staying: ObjectView[] = [];
    const leaving: ObjectView[] = [];
    const sort = (view: ObjectView): void => {
      const heir = this.#heirOf(view.namespace);
      if (heir?.objects.has(view) === true) staying.push(view);
      else (heir?.objects.selects(view) === true ? missing : leaving).push(view);
    };
    await slice.each(former.objects.views(), sort, signal);
    this.#missing = missing;
    // With `for` the name of an object is its request, so `#heirsOfName` decides without a mapper.
    if (role === 'for' || leaving.length === 0) return;
    const drop = (view: ObjectView): void =>
      this.#eachKey(former, view, (key) => this.#dropped.add(key));
    await slice.each(leaving, drop, signal);
    const keep =
      (source: KindSource<Q>) =>
      (view: ObjectView): void =>
        this.#eachKey(source, view, (key) => this.#dropped.delete(key));
    await slice.each([...staying, ...missing], keep(former), signal);
    for (const heir of heirs) await slice.each(heir.objects.views(), keep(heir), signal);
  }

  /** Delivers the deletions that no watch has delivered. Called while the former watch is in force. */
  deliverMissing(): void {
    for (const view of this.#missing) {
      const heir = this.#heirOf(view.namespace);
      if (heir?.objects.has(view) === false) heir.onEvent(deletionOf(view));
    }
  }

  /** Returns the causes of the heirs that take over a request from a cause of the former watch. */
  heirsOf(request: IdentifiedRequest<Q>, source: CauseSet): readonly CauseSet[] {
    const { role, former } = this.#pair;
    const heirs = role === 'for' ? this.#heirsOfName(request) : this.#heirsOfKey(request.key);
    return heirs.map((heir) => (source === former.causes ? heir.causes : heir.repeats));
  }

  #heirsOfName({ request }: IdentifiedRequest<Q>): KindSource<Q>[] {
    // With `for` a request is a plain name.
    const name = request as unknown as Request;
    const heir = this.#heirOf(name.namespace);
    if (heir === undefined) return [];
    if (heir.objects.has(name)) return [heir];
    const last = this.#pair.former.objects.view(name);
    // An unknown object may have been deleted, and its request is for the deletion. The heir receives it too.
    return last !== undefined && !heir.objects.selects(last) ? [] : [heir];
  }

  #heirsOfKey(key: string): readonly KindSource<Q>[] {
    return this.#dropped.has(key) ? [] : this.#pair.heirs;
  }

  #heirOf(namespace: string | undefined): KindSource<Q> | undefined {
    return this.#pair.heirs.find(({ objects }) => objects.reaches(namespace));
  }

  #eachKey(source: KindSource<Q>, view: ObjectView, act: (key: string) => void): void {
    for (const request of source.requestsOf(view)) {
      try {
        act(this.#queue.keyOf(request));
      } catch {
        // The request is invalid, so it is not in the queue.
      }
    }
  }
}

/**
 * Passes the requests of watches that left to the watches of prepared plans that replace them. Watches without one of the
 * `handovers` were not compared: the requests stay that a mapper made for objects that no new watch selects.
 */
export function passOn<Q extends object>(
  left: readonly Left<Q>[],
  queue: ReassignableQueue<Q>,
  handovers: readonly RequestHandover<Q>[] = [],
): void {
  const compared = new Set(handovers.map(({ former }) => former));
  const others = left.flatMap(({ source, watches, heirs: sources = [] }) =>
    watches
      .filter((former) => sources.length > 0 && !compared.has(former))
      .map((former) => {
        const heirs = sources.flatMap((one) => heirsIn(one, former));
        return new RequestHandover({ role: source.plan.role, former, heirs }, queue);
      })
      .filter(({ hasHeirs }) => hasHeirs),
  );
  const byCauses = new Map(
    [...handovers, ...others].flatMap((handover) =>
      handover.former.causeSets.map((causes) => [causes, handover] as const),
    ),
  );
  if (byCauses.size === 0) return;
  // In one step, because it visits every request.
  queue.reassign(
    new Set(byCauses.keys()),
    (request, source) => byCauses.get(source)?.heirsOf(request, source) ?? [],
  );
}

/** The watches of a source that have read a namespace of a former one. Others deliver all of its objects. */
function heirsIn<Q extends object>(
  source: Source<Q>,
  { objects: { namespace } }: KindSource<Q>,
): readonly KindSource<Q>[] {
  const heir = namespace === undefined ? source.opened : (source.watchOf(namespace) ?? []);
  return [heir].flat().filter(({ objects }) => !source.isDetached && objects.isReadable);
}

function deletionOf(object: ObjectView): InformerEvent {
  const receivedAt = performance.now();
  return { type: 'deleted', key: object.key, object, finalStateUnknown: true, receivedAt };
}
