import type { Frame, FrameBatch } from '@keelson/wire';
import type { ListRequest, ListerWatcher, WatchRequest } from '../contract/lister-watcher.ts';
import {
  objectFrame,
  OpenWatch,
  refused,
  silence,
  statusError,
  thing,
} from './scripted-source.test-support.ts';

/** How a server responds to a LIST: correctly, at the named version only, at an older one, or not at all. */
export type ListManner =
  | 'right'
  | 'exact'
  | 'stale'
  | 'fails'
  | 'throttled'
  | 'forbidden'
  | 'hangs'
  | 'cut';

/** How a server responds to a watch or a WatchList. `held`: no response; `buffered`: a response without frames. */
export type WatchManner =
  | 'right'
  | 'held'
  | 'buffered'
  | 'flushed'
  | 'expired'
  | 'instant'
  | 'cut'
  | 'reset'
  | 'unavailable'
  | 'throttled'
  | 'forbidden'
  | 'faulty'
  | 'refused'
  | 'stale';

/**
 * How a server responds to each kind of request. A list at the newest version is right at the second time at the
 * latest, unless lists are `down`.
 */
export interface Manners {
  readonly listAtZero: ListManner;
  readonly listAtVersion: ListManner;
  readonly newest: 'right' | 'late' | 'flaky' | 'down';
  readonly watch: WatchManner;
  readonly watchList: WatchManner;
  readonly isPaged: boolean;
}

export const honest: Manners = {
  listAtZero: 'right',
  listAtVersion: 'right',
  newest: 'right',
  watch: 'right',
  watchList: 'refused',
  isPaged: false,
};

const OLD = 3;
const LATE_MS = 20_000;

/** An API server whose responses may be stale, exact, late, buffered or wrong, each kind of request in its manner. */
export class DoubtfulServer implements ListerWatcher {
  manners: Manners;
  /** The requests in short: the verb, the version, and the limit. */
  readonly requests: string[] = [];
  readonly #history: (readonly string[])[] = [['a']];
  readonly #streams = new Set<OpenWatch>();
  #cacheStart = 0;
  #newestLists = 0;

  constructor(manners: Partial<Manners> = {}) {
    this.manners = { ...honest, ...manners };
  }

  get version(): number {
    return this.#history.length;
  }

  /** The names and versions of the present objects. */
  get objects(): readonly string[] {
    return this.#history.at(-1) ?? [];
  }

  /** Adds an object, or removes it if it exists. */
  change(name: string): void {
    const isThere = this.objects.includes(name);
    const before = this.objects.filter((each) => each !== name);
    this.#history.push(isThere ? before : [...before, name]);
    const frame = this.#frameOf(this.version);
    for (const stream of this.#streams) stream.push([frame]);
  }

  /** Forgets the former changes, as a server that restarts does: watches end, and older versions are expired. */
  restart(): void {
    this.#cacheStart = this.version;
    this.cut();
  }

  /** Ends every open watch. */
  cut(): void {
    for (const stream of this.#streams) stream.end(new Error('reset'));
  }

  async *list(request: ListRequest): AsyncGenerator<FrameBatch> {
    const { resourceVersion = '', limit, signal, ...page } = request;
    signal.throwIfAborted();
    this.requests.push(`list ${resourceVersion}${limit === undefined ? '' : ` limit ${limit}`}`);
    const { newest, listAtZero, listAtVersion } = this.manners;
    if (page.continue !== undefined) return yield this.#page(Number(page.continue), 1, false);
    if (resourceVersion === '') {
      if (newest === 'down') throw refused();
      const isBad = newest === 'flaky' && this.#newestLists++ % 2 === 0;
      if (isBad) throw statusError(500, 'InternalError');
      if (newest === 'late') await later(LATE_MS, signal);
      return yield this.#page(this.version, 0, limit !== undefined);
    }
    const manner = resourceVersion === '0' ? listAtZero : listAtVersion;
    yield* this.#listIn(manner, request);
  }

  async *#listIn(manner: ListManner, request: ListRequest): AsyncGenerator<FrameBatch> {
    const asked = Number(request.resourceVersion);
    const isLimited = request.limit !== undefined;
    switch (manner) {
      case 'right':
        return yield this.#page(this.version, 0, isLimited);
      case 'exact':
        return yield this.#page(asked || this.version, 0, isLimited);
      case 'stale':
        return yield this.#page(Math.max(1, (asked || this.version) - OLD), 0, isLimited);
      case 'fails':
        throw statusError(500, 'InternalError');
      case 'throttled':
        throw statusError(429, 'TooManyRequests');
      case 'forbidden':
        throw statusError(403, 'Forbidden');
      case 'hangs':
        return yield* silence(request);
      case 'cut':
        yield { frames: [objectFrame('ADDED', thing('a'))], receivedAt: performance.now() };
        throw new Error('reset');
    }
  }

  async *watch(request: WatchRequest): AsyncGenerator<FrameBatch> {
    const { resourceVersion, sendInitialEvents = false, signal } = request;
    signal.throwIfAborted();
    this.requests.push(`${sendInitialEvents ? 'watch-list' : 'watch'} ${resourceVersion}`);
    const manner = sendInitialEvents ? this.manners.watchList : this.manners.watch;
    switch (manner) {
      case 'right':
        return yield* this.#changes(request, 0);
      case 'stale':
        return yield* this.#changes(request, OLD);
      case 'held':
        return yield* held(request);
      case 'buffered':
        return yield* silence(request);
      case 'flushed':
        return yield* this.#flushed(request);
      case 'expired':
        throw statusError(410, 'Expired');
      case 'instant':
        return yield nothing();
      case 'cut':
        yield nothing();
        await later(2_000, signal);
        throw new Error('reset');
      case 'reset':
        throw refused();
      case 'unavailable':
        throw statusError(503, 'ServiceUnavailable');
      case 'throttled':
        throw statusError(429, 'TooManyRequests');
      case 'forbidden':
        throw statusError(403, 'Forbidden');
      case 'faulty':
        return yield batch([objectFrame('ERROR', { kind: 'Status', code: 500, reason: 'Fault' })]);
      case 'refused':
        throw statusError(422, 'Invalid');
    }
  }

  /** A stream of all changes; a WatchList begins with a state, which may be `behind` versions old. */
  async *#changes(request: WatchRequest, behind: number): AsyncGenerator<FrameBatch> {
    const asked = Number(request.resourceVersion);
    const isWhole = request.sendInitialEvents === true;
    const from = isWhole ? Math.max(1, this.version - behind) : asked;
    if (from < this.#cacheStart) throw statusError(410, 'Expired');
    const stream = new OpenWatch(request.signal);
    if (isWhole) stream.push(this.#initialFrames(from));
    for (let at = from + 1; at <= this.version; at++) stream.push([this.#frameOf(at)]);
    this.#streams.add(stream);
    try {
      yield* stream.batches();
    } finally {
      this.#streams.delete(stream);
    }
  }

  /** A proxy that keeps the body until the server ends the stream at its timeout. */
  async *#flushed(request: WatchRequest): AsyncGenerator<FrameBatch> {
    const from = Number(request.resourceVersion);
    yield nothing();
    await later((request.timeoutSeconds ?? 0) * 1_000, request.signal);
    if (request.sendInitialEvents === true) yield batch(this.#initialFrames(this.version));
    else if (from < this.#cacheStart) throw statusError(410, 'Expired');
    else for (let at = from + 1; at <= this.version; at++) yield batch([this.#frameOf(at)]);
  }

  #page(version: number, from: number, isLimited: boolean): FrameBatch {
    const names = this.#history[version - 1] ?? [];
    const hasMore = isLimited && this.manners.isPaged && names.length > 1;
    const shown = hasMore ? names.slice(0, 1) : names.slice(from);
    return {
      frames: shown.map((name) => this.#added(name, version)),
      receivedAt: performance.now(),
      listMetadata: {
        resourceVersion: String(version),
        ...(hasMore ? { continue: String(version) } : {}),
      },
    };
  }

  #initialFrames(version: number): readonly Frame[] {
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    const metadata = { resourceVersion: String(version), annotations };
    const names = this.#history[version - 1] ?? [];
    const end = objectFrame('BOOKMARK', { kind: 'Thing', metadata });
    return [...names.map((name) => this.#added(name, version)), end];
  }

  #frameOf(version: number): Frame {
    const before = this.#history[version - 2] ?? [];
    const after = this.#history[version - 1] ?? [];
    const added = after.find((name) => !before.includes(name));
    const removed = before.find((name) => !after.includes(name)) ?? '';
    const resourceVersion = String(version);
    if (added !== undefined) return this.#added(added, version);
    const born = this.#bornAt(removed, version - 1);
    return objectFrame('DELETED', withVersion(removed, resourceVersion, born));
  }

  /** The version at which the object that exists at `version` was added. */
  #bornAt(name: string, version: number): number {
    let at = version;
    while (at > 1 && this.#history[at - 2]?.includes(name) === true) at--;
    return at;
  }

  #added(name: string, version: number): Frame {
    const born = this.#bornAt(name, version);
    return objectFrame('ADDED', withVersion(name, String(born), born));
  }
}

function withVersion(name: string, resourceVersion: string, born: number): object {
  return thing(name, { resourceVersion, uid: `${name}-${born}` });
}

function nothing(): FrameBatch {
  return batch([]);
}

function batch(frames: readonly Frame[]): FrameBatch {
  return { frames, receivedAt: performance.now() };
}

/** Waits until the request is aborted; the response does not start. */
async function* held({ signal }: WatchRequest): AsyncGenerator<FrameBatch> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
  yield* silence({ signal });
}

async function later(milliseconds: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}
