import {
  invalidOption,
  isNotFound,
  objectKey,
  resourceId,
  type ApiResource,
  type DeepReadonly,
  type KubernetesObject,
  type ObjectName,
  type Persisted,
} from '@keelson/apimachinery';
import { ManagerError } from '../errors.ts';
import type { Logger } from '../logging/logger.ts';
import type { RunTracker, RunTracking, TrackAccess } from '../run/run-tracker.ts';
import type { RemovalBarrier } from '../source-set/removal-barrier.ts';
import { Source } from '../source-set/source.ts';
import type { SourceSet } from '../source-set/source-set.ts';
import type { KindSource } from '../sources/kind-source.ts';
import type { RequestSink } from '../sources/request-sink.ts';
import { checkSourceOptions, type WatchOptions } from '../sources/source-options.ts';
import { MISSING, TrackedKind, type TrackedEntry } from './tracked-kind.ts';

/** The most objects that one run may track. */
const MAX_OF_RUN = 500;
/** The most objects that a request keeps from runs that did not complete and from the present one. */
const MAX_OF_REQUEST = 2 * MAX_OF_RUN;

/** The parts of a controller that watch the tracked objects. */
export interface TrackerParts<Q extends object> {
  readonly controller: string;
  readonly sources: SourceSet<Q>;
  readonly barrier: RemovalBarrier<Q>;
  readonly sink: Pick<RequestSink<Q>, 'enqueue' | 'sourceError'>;
  readonly log: Logger;
  /** Aborts when the controller stops. */
  readonly stopped: AbortSignal;
}

/**
 * Watches the objects that runs track: one watch of the metadata for each kind, as long as a request tracks an object of
 * it. The cache serves it from a wider watch of the kind if there is one.
 */
export class ObjectTracker<Q extends object> implements RunTracker<Q> {
  readonly #kinds = new Map<string, TrackedKind<Q>>();
  /** The objects of each request, by the key of the request. The objects of the last runs are at the end. */
  readonly #owners = new Map<string, Map<string, TrackedEntry<Q>>>();
  readonly #over = new WeakSet<RunTracking>();
  isUsed = false;
  #parts: TrackerParts<Q> | undefined;
  #hasWarned = false;

  /** Connects the tracker with the sources of the controller, which are created after its loop. */
  connect(parts: TrackerParts<Q>): void {
    this.#parts = parts;
  }

  get size(): number {
    return [...this.#kinds.values()].reduce((sum, { size }) => sum + size, 0);
  }

  begin(key: string, request: Q): RunTracking {
    this.isUsed = true;
    const run: RunTracking = {
      track: async (resource, name, access) =>
        this.#track({ run, key, request }, resource, name, access),
    };
    return run;
  }

  ended(key: string, tracking: RunTracking | undefined, isComplete: boolean): void {
    if (tracking !== undefined) this.#over.add(tracking);
    const owned = isComplete ? this.#owners.get(key) : undefined;
    for (const entry of owned?.values() ?? []) if (entry.run !== tracking) this.#drop(entry);
  }

  async #track<T extends KubernetesObject>(
    by: TrackingRun<Q>,
    resource: ApiResource<T>,
    name: ObjectName,
    { cluster, client, signal }: TrackAccess,
  ): Promise<DeepReadonly<Persisted<T>> | undefined> {
    check(resource, name);
    // Added before the read, so that no later change is missed.
    const entry = this.#add(by, resource, name, cluster);
    if (entry === undefined) return read(client, resource, name, signal);
    entry.reads += 1;
    try {
      const object = await read(client, resource, name, signal);
      entry.seen = object?.metadata.resourceVersion ?? MISSING;
      if (object !== undefined && !entry.isDelivered) entry.ifRead?.();
      entry.ifRead = undefined;
      return object;
    } finally {
      endRead(entry);
    }
  }

  /** Returns `undefined` if the run has ended or the controller stops: then no later run needs the watch. */
  #add(
    by: TrackingRun<Q>,
    resource: ApiResource,
    name: ObjectName,
    cluster: string | undefined,
  ): TrackedEntry<Q> | undefined {
    const parts = this.#parts;
    if (parts === undefined || parts.stopped.aborted || this.#over.has(by.run)) return undefined;
    const id = `${resourceId(resource)} ${cluster ?? ''}`;
    const kind = this.#kinds.get(id) ?? new TrackedKind<Q>(id);
    // Before the watch, whose first events are also about this object.
    const entry = this.#entryOf(by, kind, name);
    try {
      this.#kinds.set(id, kind);
      const source = kind.source ?? this.#watch(parts, kind, resource, cluster);
      const member = source.watchOf(name.namespace);
      if (member === undefined) throw outOfScope(parts, resource, name);
      void this.#expect(parts, kind, member);
      return entry;
    } catch (error) {
      this.#drop(entry);
      throw error;
    }
  }

  #entryOf(by: TrackingRun<Q>, kind: TrackedKind<Q>, name: ObjectName): TrackedEntry<Q> {
    const { run, key: owner, request } = by;
    const owned = this.#owners.get(owner) ?? new Map<string, TrackedEntry<Q>>();
    const key = objectKey(name);
    const id = `${kind.id} ${key}`;
    const known = owned.get(id);
    if (known?.run !== run) this.#makeRoom(owned, run, known === undefined);
    const entry = known ?? {
      kind,
      owner,
      request,
      name,
      key,
      run,
      seen: undefined,
      reads: 0,
      held: undefined,
      isDelivered: false,
      ifRead: undefined,
    };
    entry.run = run;
    owned.delete(id);
    this.#owners.set(owner, owned.set(id, entry));
    kind.add(entry);
    return entry;
  }

  /** Throws if the run tracks too many objects. Drops the oldest of former runs if a new one is too many. */
  #makeRoom(owned: ReadonlyMap<string, TrackedEntry<Q>>, run: RunTracking, isNew: boolean): void {
    const all = [...owned.values()];
    if (all.filter((entry) => entry.run === run).length >= MAX_OF_RUN) {
      const { controller } = this.#parts ?? {};
      throw new ManagerError('TOO_MANY_TRACKED', { controller, limit: MAX_OF_RUN });
    }
    const oldest = all[0];
    if (!isNew || all.length < MAX_OF_REQUEST || oldest === undefined) return;
    this.#drop(oldest);
    this.#warn(oldest.owner);
  }

  /** Warns once: a request that fails again and again reaches the limit in each run. */
  #warn(request: string): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const facts = { request, limit: MAX_OF_REQUEST };
    this.#parts?.log.warn(facts, 'objects of failed runs are no longer tracked');
  }

  #drop(entry: TrackedEntry<Q>): void {
    entry.held = undefined;
    const owned = this.#owners.get(entry.owner);
    owned?.delete(`${entry.kind.id} ${entry.key}`);
    if (owned?.size === 0) this.#owners.delete(entry.owner);
    entry.kind.delete(entry);
    this.#release(entry.kind);
  }

  /** Opens the watch of a kind. */
  #watch(
    { sources }: TrackerParts<Q>,
    kind: TrackedKind<Q>,
    resource: ApiResource,
    cluster: string | undefined,
  ): Source<Q> {
    const options = {
      resource,
      projection: 'metadata',
      ...(cluster !== undefined && { cluster }),
      map: () => undefined,
    } satisfies WatchOptions<KubernetesObject, Q, 'metadata'>;
    const plan = sources.factory.watch(options);
    const name =
      cluster === undefined ? `track ${resource.kind}` : `track ${resource.kind} of ${cluster}`;
    const parts = {
      ...plan.parts,
      name,
      owner: `${plan.parts.owner} (tracked)`,
      sharedPredicates: [],
      // Most objects of the kind are not tracked.
      keepsDrops: false,
    };
    // Neither the predicates of the controller nor the selectors of the manager apply to a tracked object.
    const source = new Source<Q>({ ...plan, options, mapper: kind.onEvent, parts });
    kind.source = source;
    try {
      sources.apply({ added: [source] });
    } catch (error) {
      source.detach();
      throw error;
    }
    return source;
  }

  /** Removes the watch of a kind without tracked objects. */
  #release(kind: TrackedKind<Q>): void {
    if (kind.size > 0) return;
    this.#kinds.delete(kind.id);
    const { source } = kind;
    const parts = this.#parts;
    if (source === undefined || parts === undefined || parts.stopped.aborted) return;
    const { barrier, sources, sink } = parts;
    barrier
      .leave(sources.apply({ ended: [source] }), undefined)
      .catch((error: unknown) => sink.sourceError(source.name, error));
  }

  async #expect(
    { sink }: TrackerParts<Q>,
    kind: TrackedKind<Q>,
    member: KindSource<Q>,
  ): Promise<void> {
    const { name } = member;
    const priority = kind.source?.plan.parts.priorities.deletion ?? 0;
    const cause = member.causes.by.deleted;
    try {
      await kind.expect(member, (request) => {
        sink.enqueue(request, { cause, priority, debounce: undefined }, undefined);
      });
    } catch (error) {
      sink.sourceError(name, error);
    }
  }
}

/** A run and its request. */
interface TrackingRun<Q extends object> {
  readonly run: RunTracking;
  readonly key: string;
  readonly request: Q;
}

/** Ends a read: emits the event that came during it, unless the read has returned its state. */
function endRead<Q extends object>(entry: TrackedEntry<Q>): void {
  entry.reads -= 1;
  const { held, seen } = entry;
  if (held === undefined) return;
  if (held.state !== seen) held.emit();
  // Another read may still return an older state.
  if (held.state !== seen || entry.reads === 0) entry.held = undefined;
}

async function read<T extends KubernetesObject>(
  client: TrackAccess['client'],
  resource: ApiResource<T>,
  name: ObjectName,
  signal: AbortSignal,
): Promise<DeepReadonly<Persisted<T>> | undefined> {
  try {
    return (await client.get(resource, name, { signal })) as DeepReadonly<Persisted<T>>;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Throws `INVALID_OPTION` before an invalid object has a watch. */
function check(resource: ApiResource, name: ObjectName): void {
  checkSourceOptions({ resource }, 'reads', 'track');
  if (typeof name?.name !== 'string' || name.name === '') {
    throw invalidOption('track.name', 'must be { namespace, name }');
  }
  if (resource.namespaced !== ((name.namespace ?? '') !== '')) {
    const reason = resource.namespaced
      ? 'is missing'
      : 'must be left out: the kind is cluster-scoped';
    throw invalidOption('track.name.namespace', reason, { kind: resource.kind });
  }
}

function outOfScope<Q extends object>(
  { controller }: TrackerParts<Q>,
  { kind }: ApiResource,
  { namespace, name }: ObjectName,
): ManagerError {
  return new ManagerError('TRACK_OUT_OF_SCOPE', { controller, kind, namespace, name });
}
