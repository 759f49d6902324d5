import { TimeSlice } from '@keelson/apimachinery';
import type { InformerEvent, ObjectView } from '@keelson/informer';
import type { CauseSet } from '../../reconcile/cause.ts';
import type { IdentifiedRequest, Request } from '../../reconcile/request.ts';
import type { HeirSets } from '../../run/request-queue.ts';
import type { KindSource } from '../sources/kind-source.ts';
import type { SourceRole } from '../sources/source-options.ts';

/** A watch that ends, and the watches of the same source that replace it. */
export interface HandoverOptions<Q extends object> {
  readonly role: SourceRole;
  readonly former: KindSource<Q>;
  /** The watches that reach a namespace of the former one, synced. */
  readonly heirs: readonly KindSource<Q>[];
  /** The key of a request. Throws for an invalid one. */
  readonly keyOf: (request: Q) => string;
}

/**
 * Passes the requests of a watch to its heirs. A request of an object that no heir selects is dropped. A deletion that
 * the former watch has not received, and that an heir did not see, is delivered to the heir.
 */
export class Handover<Q extends object> {
  readonly #options: HandoverOptions<Q>;
  /** Objects that the former watch has and the heirs have not, although they select them. */
  #missing: readonly ObjectView[] = [];
  /** The keys of requests to which only objects that no heir selects are mapped. */
  readonly #dropped = new Set<string>();

  constructor(options: HandoverOptions<Q>) {
    this.#options = options;
  }

  /** Compares the objects of the watches in slices. */
  async compare(signal: AbortSignal): Promise<void> {
    const { role, former, heirs } = this.#options;
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
    // The name of an object of `for` is its request, so `heirsOf` decides without a mapper.
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
      if (heir?.objects.has(view) === false) heir.missed(deletionOf(view));
    }
  }

  /** The causes that end with the former watch. */
  get causes(): readonly CauseSet[] {
    return this.#options.former.causeSets;
  }

  /** Returns the causes that take over a request, without the causes of the former watch. */
  readonly heirsOf: HeirSets<Q> = (request, source) => {
    const { role, former } = this.#options;
    const heirs = role === 'for' ? this.#heirsOfName(request) : this.#heirsOfKey(request.key);
    return heirs.map((heir) => (source === former.causes ? heir.causes : heir.repeats));
  };

  #heirsOfName({ request }: IdentifiedRequest<Q>): KindSource<Q>[] {
    // With `for` a request is a plain name.
    const name = request as unknown as Request;
    const heir = this.#heirOf(name.namespace);
    if (heir === undefined) return [];
    if (heir.objects.has(name)) return [heir];
    const last = this.#options.former.objects.view(name);
    // An object that is gone, and may have a request for its deletion, belongs to the heir too.
    return last !== undefined && !heir.objects.selects(last) ? [] : [heir];
  }

  #heirsOfKey(key: string): readonly KindSource<Q>[] {
    return this.#dropped.has(key) ? [] : this.#options.heirs;
  }

  #heirOf(namespace: string | undefined): KindSource<Q> | undefined {
    return this.#options.heirs.find(({ objects }) => objects.reaches(namespace));
  }

  #eachKey(source: KindSource<Q>, view: ObjectView, act: (key: string) => void): void {
    for (const request of source.requestsOf(view)) {
      try {
        act(this.#options.keyOf(request));
      } catch {
        // The request is invalid, so it is not in the queue.
      }
    }
  }
}

/** True if a watch reaches a namespace of a former one. */
export function reaching<Q extends object>(
  { objects: heir }: KindSource<Q>,
  { objects: former }: KindSource<Q>,
): boolean {
  return former.namespace === undefined || heir.reaches(former.namespace);
}

function deletionOf(object: ObjectView): InformerEvent {
  const receivedAt = performance.now();
  return { type: 'deleted', key: object.key, object, finalStateUnknown: true, receivedAt };
}
