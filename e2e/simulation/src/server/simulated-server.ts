import type { ApiResource } from '@keelson/apimachinery';
import type { Frame } from '@keelson/wire';
import type { ListerWatcher, NormalQuery } from '@keelson/informer';
import { kinds, type Item } from './kind.ts';
import { KindHistory, type Change } from './kind-history.ts';
import { ObjectState, type Content } from './object-state.ts';
import { OwnWrites } from './own-writes.ts';
import { RequestFaults } from './request-fault.ts';
import { Responses, type ServedState } from './responses.ts';
import type { Report } from '../invariants/invariant.ts';
import { selects } from './object-selection.ts';
import { bookmarkFrame, type ServerStream } from './server-stream.ts';
import { SimulatedLease } from './simulated-lease.ts';

/** The place of an object. */
export interface Place {
  readonly resource: ApiResource<Item>;
  readonly namespace: string;
  readonly name: string;
}

/** The first version of the first server. Each further server begins far below, and never reaches the former one. */
const FIRST_VERSION = 3_000_000;
const VERSIONS_PER_SERVER = 1_000_000;

/**
 * An API server in memory without sockets. It keeps every state that an object ever had, so that a test can compare
 * what a cache shows with what the server had at one time.
 */
export class SimulatedServer implements ServedState {
  readonly faults: RequestFaults = new RequestFaults();
  /** The Lease of a manager with leader election. */
  readonly lease: SimulatedLease = new SimulatedLease();
  readonly streams: Set<ServerStream> = new Set();
  /** The requests that have begun and not ended. */
  openRequests = 0;
  /** Changes reach the streams only through `send`. */
  isHeld = false;
  /** How many versions a list at any version is behind, as a lagging replica may be. */
  lag = 0;
  /** Milliseconds before each response. */
  latency = 0;
  supportsWatchList = true;
  /** The writes of this process, which its reads show before their events. */
  readonly ownWrites: OwnWrites = new OwnWrites();
  /** Old events were sent again, so that a watch may give up the order of versions. */
  hasRepeated = false;
  /** The changes whose frames were damaged: readers fetch these objects alone, in whatever version there is. */
  readonly damaged: Set<number> = new Set();
  /** Objects per page of a list that has a limit. */
  pageSize = 500;
  /** The number of the server; another one takes over in `replace`. */
  number = 0;
  /** Called when a client breaks an invariant. */
  report: Report = () => undefined;
  /** Called with a sentence about each request and change, for the trace of a run. */
  trace: ((line: string) => void) | undefined;
  #version = FIRST_VERSION;
  #compactedAt = 0;
  #stamp = 0;
  #uids = 0;
  readonly #histories = new Map<string, KindHistory>();
  readonly #sent = new Map<string, number>();
  readonly #unserved = new Set<string>();
  readonly #servedSince = new Map<string, { readonly server: number; readonly version: number }>();
  readonly #responses: Responses = new Responses(this);

  get version(): number {
    return this.#version;
  }

  /** The number of changes so far. */
  get stamp(): number {
    return this.#stamp;
  }

  get compactedAt(): number {
    return this.#compactedAt;
  }

  readonly listerWatcher = (query: NormalQuery): ListerWatcher => ({
    list: (request) => this.#responses.list(query, request),
    watch: (request) => this.#responses.watch(query, request),
    isServed: (signal) => this.#responses.isServed(query, signal),
  });

  historyOf(resource: ApiResource): KindHistory {
    let history = this.#histories.get(resource.kind);
    if (history === undefined) {
      history = new KindHistory();
      this.#histories.set(resource.kind, history);
    }
    return history;
  }

  /** Returns the objects that a query selects now. */
  select(query: NormalQuery): ObjectState[] {
    return this.historyOf(query.resource).select(query);
  }

  find({ resource, namespace, name }: Place): ObjectState | undefined {
    return this.historyOf(resource).objects.get(`${namespace}/${name}`);
  }

  /**
   * Creates or updates an object. Returns nothing if the kind is not served. An object that was deleted remains so: a
   * write that ends its hold removes it.
   */
  write(place: Place, given: Content): ObjectState | undefined {
    if (!this.serves(place.resource)) return undefined;
    const previous = this.find(place);
    const before = previous?.content;
    const { isHeld = before?.isHeld, isTerminating = before?.isTerminating } = given;
    if (isTerminating === true && isHeld !== true) return this.remove(place);
    const content = { ...given, isHeld, isTerminating };
    const uid = previous?.identity.uid ?? `uid-${++this.#uids}`;
    const version = ++this.#version;
    const stamp = ++this.#stamp;
    const state = new ObjectState({ ...place, uid, version, stamp }, content);
    this.#append({ key: state.key, stamp, version, server: this.number, previous, state }, place);
    return state;
  }

  /** Deletes an object, or marks it if a finalizer holds it. Returns its last state. */
  delete(place: Place): ObjectState | undefined {
    const found = this.find(place);
    if (found?.content.isHeld !== true) return this.remove(place);
    if (found.content.isTerminating === true) return found;
    return this.write(place, { ...found.content, isTerminating: true });
  }

  /** Removes an object, whatever holds it. Returns its last state. */
  remove(place: Place): ObjectState | undefined {
    const previous = this.find(place);
    if (previous === undefined) return undefined;
    const version = ++this.#version;
    const stamp = ++this.#stamp;
    const { key } = previous;
    const change = { key, stamp, version, server: this.number, previous, state: undefined };
    this.#append(change, place);
    return previous;
  }

  serves({ kind }: ApiResource): boolean {
    return !this.#unserved.has(kind);
  }

  /** Deletes the definition of a kind: its objects are deleted, and its watches end. */
  unserve(resource: ApiResource<Item>): void {
    const objects = Array.from(this.historyOf(resource).objects.values());
    for (const { identity } of objects) this.remove(identity);
    this.#unserved.add(resource.kind);
    for (const stream of this.streams) if (stream.query.resource === resource) stream.end();
  }

  serve(resource: ApiResource<Item>): void {
    if (!this.#unserved.delete(resource.kind)) return;
    this.#servedSince.set(resource.kind, { server: this.number, version: this.#version });
  }

  /** The version of the definition of a kind: no list shows an older state. */
  servedSince({ kind }: ApiResource): number {
    const since = this.#servedSince.get(kind);
    return since?.server === this.number ? since.version : 0;
  }

  /** Forgets the history: a watch from an older version expires. */
  compact(): void {
    this.#compactedAt = this.#version;
  }

  /** Another server without these objects takes over, with lower versions. */
  replace(): void {
    if (this.number === 2) return;
    const before = kinds.flatMap((kind) => [...this.historyOf(kind).objects.values()]);
    this.number++;
    this.#version = FIRST_VERSION - VERSIONS_PER_SERVER * this.number;
    this.#compactedAt = 0;
    for (const { identity, key } of before) {
      // The other server never had the object: no version and no event of it exists there.
      const change = { key, stamp: ++this.#stamp, version: 0, server: this.number };
      const history = this.historyOf(identity.resource);
      history.append({ ...change, previous: undefined, state: undefined });
    }
  }

  /** The last change of a kind that a response has contained. */
  sentUpTo({ kind }: ApiResource): number {
    return this.#sent.get(kind) ?? 0;
  }

  /** A response contains the state of a kind at a version. */
  sent({ kind }: ApiResource, stamp: number): void {
    if (stamp > (this.#sent.get(kind) ?? 0)) this.#sent.set(kind, stamp);
  }

  /** Sends pending changes of a stream, by default all. */
  send(stream: ServerStream, count: number = Infinity): void {
    if (stream.server !== this.number) return;
    const changes = this.historyOf(stream.query.resource).after(stream.server, stream.at);
    for (const change of changes.slice(0, count)) {
      stream.at = change.version;
      this.sent(stream.query.resource, change.stamp);
      if (stream.damage !== undefined) this.damaged.add(change.stamp);
      sendChange(stream, change);
    }
  }

  sendAll(): void {
    for (const stream of this.streams) this.send(stream);
  }

  /** Sends the last changes of a stream again. */
  repeat(stream: ServerStream, count: number): void {
    if (stream.server !== this.number) return;
    this.hasRepeated = true;
    const { changes } = this.historyOf(stream.query.resource);
    const sent = changes.filter(
      ({ server, version }) => server === this.number && version <= stream.at,
    );
    for (const change of sent.slice(-count)) sendChange(stream, change);
  }

  /** Sends a bookmark, unless the stream began at a version that the server has not reached. */
  bookmark(stream: ServerStream): void {
    const isReached = stream.at <= this.#version;
    if (stream.server === this.number && isReached) stream.push(bookmarkFrame(stream.at));
  }

  #append(change: Change, { resource }: Place): void {
    this.historyOf(resource).append(change);
    this.trace?.(`  server: ${describe(change, resource)}`);
    if (this.isHeld) return;
    for (const stream of this.streams) if (stream.query.resource === resource) this.send(stream);
  }
}

/** An object that starts to match is `ADDED` for a stream; one that stops matching is `DELETED`. */
function sendChange(stream: ServerStream, { previous, state, version }: Change): void {
  const { query } = stream;
  const was = previous !== undefined && selects(query, previous);
  if (state !== undefined && selects(query, state)) {
    stream.push(damagedOr(stream, state, was ? 'MODIFIED' : 'ADDED'));
  } else if (was) {
    stream.push(previous.frame('DELETED', query.projection, version));
  }
}

function damagedOr(stream: ServerStream, state: ObjectState, type: 'ADDED' | 'MODIFIED'): Frame {
  const { query, damage } = stream;
  stream.damage = undefined;
  if (damage === 'spoiled') return state.spoiled(type, query.projection);
  const frame = state.frame(type, query.projection);
  return damage === 'torn' ? { ...frame, to: frame.to - 5 } : frame;
}

function describe(
  { key, stamp, version, previous, state }: Change,
  { kind }: { kind: string },
): string {
  const verb = state === undefined ? 'deleted' : previous === undefined ? 'created' : 'updated';
  const labels = state === undefined ? '' : ` ${JSON.stringify(state.content)}`;
  return `${kind} ${key} ${verb}, change ${stamp}, version ${version}${labels}`;
}
