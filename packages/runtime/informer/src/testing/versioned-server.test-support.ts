import { ownerReferenceTo, type KubernetesObject, type ObjectMeta } from '@keelson/apimachinery';
import type { Frame, FrameBatch, WatchEventType } from '@keelson/wire';
import type { ListRequest, ListerWatcher, WatchRequest } from '../contract/lister-watcher.ts';
import type { NormalQuery } from '../contract/watch-query.ts';
import { objectFrame, OpenWatch, statusError, type Thing } from './scripted-source.test-support.ts';
import { selects } from './selecting-source.test-support.ts';

interface LogEntry {
  readonly version: number;
  readonly previous: Thing | undefined;
  readonly object: Thing | undefined;
}

/** One open watch of a server. It has sent the changes up to the version `at`. */
export interface Stream {
  readonly query: NormalQuery;
  readonly watch: OpenWatch;
  at: number;
}

/** The changeable parts of a Thing. */
export interface ThingState {
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value?: number;
  /** The object of the controller reference. */
  readonly owner?: KubernetesObject;
}

/**
 * An API server in memory that evaluates the query of each watch: an object that starts to match is
 * `ADDED`, and one that stops matching is `DELETED`. Watches may progress independently.
 */
export class VersionedServer {
  /** The queries of all requests. */
  readonly requests: NormalQuery[] = [];
  readonly streams: Set<Stream> = new Set();
  isForbidden: (query: NormalQuery) => boolean = () => false;
  /** Queries whose initial state does not arrive. */
  isSilent: (query: NormalQuery) => boolean = () => false;
  /** Changes are sent only by `send`. */
  isHeld = false;
  /** How many versions a list at any version is behind, as a lagging replica may be. */
  lag = 0;
  supportsWatchList = true;
  versionText: (version: number) => string = String;
  #version = 1;
  #compactedAt = 0;
  readonly #objects = new Map<string, Thing>();
  #log: LogEntry[] = [];
  #uids = 0;

  get version(): number {
    return this.#version;
  }

  readonly listerWatcher = (query: NormalQuery): ListerWatcher => ({
    list: (request) => this.#list(query, request),
    watch: (request) => this.#watch(query, request),
  });

  /** Returns the present objects that a query selects. */
  select(query: NormalQuery): Thing[] {
    return [...this.#objects.values()].filter((object) => selects(query, object));
  }

  set(name: string, { namespace = 'n1', labels = {}, value = 0, owner }: ThingState = {}): Thing {
    const key = `${namespace}/${name}`;
    const previous = this.#objects.get(key);
    const uid = previous?.metadata?.uid ?? `uid-${++this.#uids}`;
    const resourceVersion = this.versionText(this.#version + 1);
    const object: Thing = {
      apiVersion: 'example.com/v1',
      kind: 'Thing',
      metadata: { name, namespace, uid, resourceVersion, labels: { ...labels }, ...ownedBy(owner) },
      spec: { value },
    };
    this.#objects.set(key, object);
    this.#append(previous, object);
    return object;
  }

  /** Deletes an object and returns its last state. */
  remove(name: string, namespace = 'n1'): Thing | undefined {
    const key = `${namespace}/${name}`;
    const previous = this.#objects.get(key);
    if (previous === undefined) return undefined;
    this.#objects.delete(key);
    this.#append(previous, undefined);
    return previous;
  }

  /** Sends pending changes of a watch, by default all. */
  send(stream: Stream, count: number = Infinity): void {
    const pending = this.#log.filter(({ version }) => version > stream.at).slice(0, count);
    for (const entry of pending) {
      stream.at = entry.version;
      const frame = this.#frameOf(stream.query, entry);
      if (frame !== undefined) stream.watch.push([frame]);
    }
  }

  sendAll(): void {
    for (const stream of this.streams) this.send(stream);
  }

  bookmark(stream: Stream, annotations: object = {}): void {
    const metadata = { resourceVersion: this.versionText(stream.at), annotations };
    stream.watch.push([objectFrame('BOOKMARK', { kind: 'Thing', metadata })]);
  }

  bookmarkAll(): void {
    for (const stream of this.streams) this.bookmark(stream);
  }

  /** Removes the log: a watch from an older version expires. */
  compact(): void {
    this.#compactedAt = this.#version;
  }

  /** Goes back to a former version, as a restore from a backup does. */
  restore(version: number): void {
    this.#log = this.#log.filter((entry) => entry.version <= version);
    this.#version = version;
    this.#objects.clear();
    for (const object of this.#stateAt(version)) {
      this.#objects.set(`${object.metadata?.namespace}/${object.metadata?.name}`, object);
    }
  }

  fail(stream: Stream, code: number): void {
    const status = { kind: 'Status', code, reason: 'Trouble', message: 'trouble' };
    stream.watch.push([objectFrame('ERROR', status)]);
  }

  /** Returns the first open watch of a query. */
  streamOf(isWanted: (query: NormalQuery) => boolean): Stream {
    const found = [...this.streams].find(({ query }) => isWanted(query));
    if (found === undefined) throw new Error('no open watch of the query');
    return found;
  }

  #append(previous: Thing | undefined, object: Thing | undefined): void {
    this.#version++;
    this.#log.push({ version: this.#version, previous, object });
    if (!this.isHeld) this.sendAll();
  }

  async *#list(query: NormalQuery, request: ListRequest): AsyncGenerator<FrameBatch> {
    request.signal.throwIfAborted();
    this.requests.push(query);
    this.#check(query);
    const at = this.#behind(request.resourceVersion);
    yield {
      frames: this.#stateAt(at, query).map((object) => frameOf('ADDED', object, query)),
      receivedAt: performance.now(),
      listMetadata: { resourceVersion: this.versionText(at) },
    };
  }

  async *#watch(query: NormalQuery, request: WatchRequest): AsyncGenerator<FrameBatch> {
    const { signal, resourceVersion = '', sendInitialEvents = false } = request;
    signal.throwIfAborted();
    this.requests.push(query);
    this.#check(query);
    if (sendInitialEvents && !this.supportsWatchList) throw statusError(422, 'Invalid');
    const at = sendInitialEvents ? this.#behind(resourceVersion) : numberOf(resourceVersion);
    if (!sendInitialEvents && at < this.#compactedAt) throw statusError(410, 'Expired');
    const stream: Stream = { query, watch: new OpenWatch(signal), at };
    if (sendInitialEvents && !this.isSilent(query)) {
      stream.watch.push(this.#stateAt(at, query).map((object) => frameOf('ADDED', object, query)));
      this.bookmark(stream, { 'k8s.io/initial-events-end': 'true' });
    }
    this.streams.add(stream);
    if (!this.isHeld && !this.isSilent(query)) this.send(stream);
    try {
      yield* stream.watch.batches();
    } finally {
      this.streams.delete(stream);
    }
  }

  #check(query: NormalQuery): void {
    if (this.isForbidden(query)) throw statusError(403, 'Forbidden');
  }

  /** A list is not older than the version that the request names; without one it is the newest. */
  #behind(resourceVersion = ''): number {
    if (resourceVersion === '') return this.#version;
    if (numberOf(resourceVersion) > this.#version) {
      const causes = [{ reason: 'ResourceVersionTooLarge' }];
      throw statusError(504, 'Timeout', { details: { causes } });
    }
    return Math.max(this.#version - this.lag, numberOf(resourceVersion), 1);
  }

  #stateAt(at: number, query?: NormalQuery): Thing[] {
    const state = new Map<string, Thing>();
    for (const { version, previous, object } of this.#log) {
      if (version > at) break;
      const { namespace, name } = { ...(object ?? previous)?.metadata };
      if (object === undefined) state.delete(`${namespace}/${name}`);
      else state.set(`${namespace}/${name}`, object);
    }
    return [...state.values()].filter((object) => query === undefined || selects(query, object));
  }

  #frameOf(query: NormalQuery, { version, previous, object }: LogEntry): Frame | undefined {
    const was = previous !== undefined && selects(query, previous);
    if (object !== undefined && selects(query, object)) {
      return frameOf(was ? 'MODIFIED' : 'ADDED', object, query);
    }
    if (!was) return undefined;
    const metadata = { ...previous.metadata, resourceVersion: this.versionText(version) };
    return frameOf('DELETED', { ...previous, metadata }, query);
  }
}

function ownedBy(owner: KubernetesObject | undefined): Pick<ObjectMeta, 'ownerReferences'> {
  if (owner === undefined) return {};
  return { ownerReferences: [ownerReferenceTo(owner, { controller: true })] };
}

function frameOf(type: WatchEventType, object: Thing, { projection }: NormalQuery): Frame {
  if (projection === 'full') return objectFrame(type, structuredClone(object));
  const { metadata } = structuredClone(object);
  return objectFrame(type, {
    apiVersion: 'meta.k8s.io/v1',
    kind: 'PartialObjectMetadata',
    metadata,
  });
}

function numberOf(resourceVersion: string): number {
  return Number(/\d+/.exec(resourceVersion)?.[0] ?? 0);
}
