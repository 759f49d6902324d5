import type { ObjectName } from '@keelson/apimachinery';
import { keepViews, type InformerEvent } from '@keelson/informer';
import type { KindSource } from '../sources/kind-source.ts';
import type { Source } from '../source-set/source.ts';

/** The version of an object that a run found missing. */
export const MISSING: unique symbol = Symbol('missing');

/** The state of an object: its resourceVersion, or `MISSING`. */
type ObjectState = string | typeof MISSING;

/** One object that a request tracks. */
export interface TrackedEntry<Q extends object> {
  readonly kind: TrackedKind<Q>;
  /** The key of the request. */
  readonly owner: string;
  readonly request: Q;
  readonly name: ObjectName;
  /** The key of the object. */
  readonly key: string;
  /** The run that tracked the object last. */
  run: object;
  /** The version that this run has read; `undefined` while it has not. */
  seen: ObjectState | undefined;
  /** The number of reads under way. */
  reads: number;
  /** The latest event that came during a read: it runs the request again unless the read returns its state. */
  held: { readonly state: ObjectState; readonly emit: () => void } | undefined;
  /** True if the present watch has delivered an event of the object. */
  isDelivered: boolean;
  /** Called if the run reads the object, after the watch has synced without it. */
  ifRead: (() => void) | undefined;
}

/** The tracked objects of one kind in one cluster, with the watch of their metadata. */
export class TrackedKind<Q extends object> {
  readonly id: string;
  /** By the key of the object, then by the key of the request. */
  readonly #entries = new Map<string, Map<string, TrackedEntry<Q>>>();
  /** The watches whose first sync is awaited or over. */
  readonly #expected = new WeakSet<KindSource<Q>>();
  #source: Source<Q> | undefined;

  constructor(id: string) {
    this.id = id;
  }

  /** The present watch; `undefined` before the first one, and after it was removed with its cluster. */
  get source(): Source<Q> | undefined {
    return this.#source?.isDetached === true ? undefined : this.#source;
  }

  /** Sets the watch before it opens. */
  set source(source: Source<Q>) {
    this.#source = source;
    for (const entry of this.#all()) entry.isDelivered = false;
  }

  /** The number of distinct objects. */
  get size(): number {
    return this.#entries.size;
  }

  add(entry: TrackedEntry<Q>): void {
    const requests = this.#entries.get(entry.key) ?? new Map<string, TrackedEntry<Q>>();
    this.#entries.set(entry.key, requests.set(entry.owner, entry));
  }

  delete({ key, owner }: TrackedEntry<Q>): void {
    const requests = this.#entries.get(key);
    requests?.delete(owner);
    if (requests?.size === 0) this.#entries.delete(key);
  }

  /**
   * Emits the requests that track the object of an event, except those whose run has read this state of it. During a
   * read the event waits for its result.
   */
  readonly onEvent = (event: InformerEvent, emit: (request: Q) => void): void => {
    const state = event.type === 'deleted' ? MISSING : event.object.resourceVersion;
    for (const entry of this.#entries.get(event.key)?.values() ?? []) {
      entry.isDelivered = true;
      if (entry.reads > 0) {
        keepViews(event);
        entry.held = { state, emit: () => emit(entry.request) };
      } else if (entry.seen !== state) {
        emit(entry.request);
      }
    }
  };

  /**
   * Calls `emit` at the first sync of a watch for each request whose run has read an object that is missing now. The
   * object was deleted between the read and the start of the watch.
   */
  async expect(member: KindSource<Q>, emit: (request: Q) => void): Promise<void> {
    if (this.#expected.has(member)) return;
    this.#expected.add(member);
    // An object that a run tracks after the sync is read after it, too.
    if (member.hasSynced) return;
    await member.syncedOrRemoved();
    if (!member.hasSynced || this.source?.opened.includes(member) !== true) return;
    for (const entry of this.#all()) {
      const isOfMember = this.source.watchOf(entry.name.namespace) === member;
      if (!isOfMember || entry.isDelivered || entry.seen === MISSING) continue;
      if (entry.seen === undefined) entry.ifRead = () => emit(entry.request);
      else emit(entry.request);
    }
  }

  #all(): TrackedEntry<Q>[] {
    return [...this.#entries.values()].flatMap((requests) => [...requests.values()]);
  }
}
