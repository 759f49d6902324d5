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

  /** Passes the requests of the former watch to its heirs. */
  reassign(): void {
    const { role, former } = this.#pair;
    this.#queue.reassign(new Set(former.causeSets), (request, source) => {
      const heirs = role === 'for' ? this.#heirsOfName(request) : this.#heirsOfKey(request.key);
      return heirs.map((heir) => (source === former.causes ? heir.causes : heir.repeats));
    });
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
 * Passes the requests of watches that left to the watches of prepared plans that replace them, except of the watches
 * `compared`, which have passed on theirs. Without a comparison it also keeps the requests that a mapper made for
 * objects that no new watch selects.
 */
export function passOn<Q extends object>(
  left: readonly Left<Q>[],
  queue: ReassignableQueue<Q>,
  compared: ReadonlySet<KindSource<Q>> = new Set(),
): void {
  for (const { source, watches, heirs: sources = [] } of left) {
    if (sources.length === 0) continue;
    const { role } = source.plan;
    for (const former of watches) {
      if (compared.has(former)) continue;
      const heirs = sources.flatMap((one) => heirsIn(one, former));
      if (heirs.length > 0) new RequestHandover({ role, former, heirs }, queue).reassign();
    }
  }
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
