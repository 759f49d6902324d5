import {
  defineResource,
  StatusError,
  type ApiResource,
  type KubernetesObject,
  type ObjectName,
} from '@keelson/apimachinery';
import { jsonFormat, type Frame, type FrameBatch, type WatchEventType } from '@keelson/wire';
import type { ListRequest, ListerWatcher, WatchRequest } from '../contract/lister-watcher.ts';

/** The kind that scripted sources serve. */
export interface Thing extends KubernetesObject {
  spec?: { value?: number; node?: string };
}

export const Thing: ApiResource<Thing> = defineResource<Thing>({
  group: 'example.com',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
});

/** Another kind, for which a source has only a name. */
export const Other: ApiResource = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Other',
  plural: 'others',
});

/** The name of the object that `set('a')` writes. */
export const a: ObjectName = { namespace: 'default', name: 'a' };

/** One request to the source. */
export type SeenRequest =
  | ({ verb: 'list' } & Omit<ListRequest, 'signal'>)
  | ({ verb: 'watch' } & Omit<WatchRequest, 'signal'>);

interface LogEntry {
  readonly version: number;
  readonly type: WatchEventType;
  readonly object: Thing;
  /** The state before the change. */
  readonly previous: Thing | undefined;
}

/** An iterable that replaces the next response of a source. */
export type Script<R> = (request: R) => AsyncIterable<FrameBatch>;

/**
 * A lister-watcher of plain objects that behaves like an API server in memory. It has one revision
 * counter, a log that serves watches and can be compacted, WatchList, and bookmarks. Scripts add
 * faults.
 */
export class ScriptedSource implements ListerWatcher {
  readonly requests: SeenRequest[] = [];
  /** The start of each request. */
  readonly times: number[] = [];
  /** Scripts for the next requests of a verb; with `undefined` the source serves the request. */
  readonly listScripts: (Script<ListRequest> | undefined)[] = [];
  readonly watchScripts: (Script<WatchRequest> | undefined)[] = [];
  readonly openWatches: Set<OpenWatch> = new Set();
  /** The format of frames. */
  toFrame: (type: WatchEventType, object: unknown) => Frame = objectFrame;
  supportsWatchList = true;
  /** The discovery of the source. Without it a 404 means that the kind is not served. */
  isServed?: (signal: AbortSignal) => Promise<boolean>;
  /** True for an object that the label selector of a request selects. Default: all. */
  isSelected: (object: Thing, labelSelector: string | undefined) => boolean = () => true;
  /** Items per page if the request has a limit. */
  pageSize: number | undefined;
  #openLists = 0;
  #version = 1;
  #compactedAt = 0;
  readonly #objects = new Map<string, Thing>();
  #log: LogEntry[] = [];
  #uid = 0;

  get version(): string {
    return String(this.#version);
  }

  /** The number of requests that have started and not ended. */
  get openRequests(): number {
    return this.openWatches.size + this.#openLists;
  }

  get objects(): readonly Thing[] {
    return [...this.#objects.values()];
  }

  count(verb: 'list' | 'watch'): number {
    return this.requests.filter((request) => request.verb === verb).length;
  }

  /** Creates or updates an object by name. */
  set(name: string, object: Partial<Thing> & { namespace?: string } = {}): Thing {
    const { namespace = 'default', ...rest } = object;
    const key = `${namespace}/${name}`;
    const existing = this.#objects.get(key);
    this.#version++;
    const next: Thing = {
      apiVersion: 'example.com/v1',
      kind: 'Thing',
      ...rest,
      metadata: {
        name,
        namespace,
        uid: existing?.metadata?.uid ?? `uid-${++this.#uid}`,
        ...rest.metadata,
        resourceVersion: this.version,
      },
    };
    this.#objects.set(key, next);
    this.#append(existing === undefined ? 'ADDED' : 'MODIFIED', next, existing);
    return next;
  }

  remove(name: string, namespace = 'default'): void {
    const key = `${namespace}/${name}`;
    const existing = this.#objects.get(key);
    if (existing === undefined) throw new Error(`no ${key}`);
    this.#objects.delete(key);
    this.#version++;
    const metadata = { ...existing.metadata, resourceVersion: this.version };
    this.#append('DELETED', { ...existing, metadata }, existing);
  }

  /** Compacts the log: watches from an older version expire. */
  compact(): void {
    this.#compactedAt = this.#version;
    this.#log = [];
  }

  /** Replaces the server by an empty one whose versions start again. Watches end normally, or by an error. */
  replace(error?: Error): void {
    this.cut(error);
    this.#objects.clear();
    this.#log = [];
    this.#version = 1;
    this.#compactedAt = 0;
  }

  bookmark(metadata: Record<string, unknown> = {}): void {
    for (const watch of this.openWatches) watch.push([this.#bookmark(metadata)]);
  }

  /** Sends an ERROR line on every open watch. */
  fail(code: number, reason: string): void {
    const status = { kind: 'Status', code, reason, message: reason };
    for (const watch of this.openWatches) watch.push([objectFrame('ERROR', status)]);
  }

  /** Ends every open watch: normally, or by an error. */
  cut(error?: Error): void {
    for (const watch of this.openWatches) watch.end(error);
  }

  list(request: ListRequest): AsyncIterable<FrameBatch> {
    const { signal: _signal, ...seen } = request;
    this.#seen({ verb: 'list', ...seen });
    const script = this.listScripts.shift();
    return this.#counted(script === undefined ? this.#answerList(request) : script(request));
  }

  watch(request: WatchRequest): AsyncIterable<FrameBatch> {
    const { signal: _signal, ...seen } = request;
    this.#seen({ verb: 'watch', ...seen });
    const script = this.watchScripts.shift();
    return script === undefined ? this.#answerWatch(request) : script(request);
  }

  #seen(request: SeenRequest): void {
    this.requests.push(request);
    this.times.push(performance.now());
  }

  async *#counted(batches: AsyncIterable<FrameBatch>): AsyncGenerator<FrameBatch> {
    this.#openLists++;
    try {
      yield* batches;
    } finally {
      this.#openLists--;
    }
  }

  async *#answerList(request: ListRequest): AsyncGenerator<FrameBatch> {
    request.signal.throwIfAborted();
    this.#checkFuture(request);
    const all = this.objects
      .filter(({ metadata }) => {
        const { namespace, name } = request.name ?? { ...metadata };
        return metadata?.name === name && metadata?.namespace === namespace;
      })
      .filter((object) => this.isSelected(object, request.labelSelector));
    const from = request.continue === undefined ? 0 : Number(request.continue);
    const size = request.limit === undefined ? undefined : this.pageSize;
    const to = size === undefined ? all.length : Math.min(from + size, all.length);
    yield {
      frames: all.slice(from, to).map((object) => this.toFrame('ADDED', object)),
      receivedAt: performance.now(),
      listMetadata: {
        resourceVersion: this.version,
        ...(to < all.length ? { continue: String(to) } : {}),
      },
    };
  }

  async *#answerWatch(request: WatchRequest): AsyncGenerator<FrameBatch> {
    request.signal.throwIfAborted();
    if (request.sendInitialEvents === true && !this.supportsWatchList) {
      throw statusError(422, 'Invalid');
    }
    const from = Number(request.resourceVersion);
    const { labelSelector } = request;
    const since = request.sendInitialEvents === true ? 0 : from;
    const watch = new OpenWatch(request.signal, since, labelSelector);
    if (request.sendInitialEvents === true) {
      this.#checkFuture(request);
      const selected = this.objects.filter((object) => this.isSelected(object, labelSelector));
      watch.push(selected.map((object) => this.toFrame('ADDED', object)));
      watch.push([this.#bookmark({ annotations: { 'k8s.io/initial-events-end': 'true' } })]);
    } else {
      if (from < this.#compactedAt) throw statusError(410, 'Expired');
      watch.push(
        this.#log
          .filter(({ version }) => version > from)
          .flatMap((entry) => this.#framesOf(entry, labelSelector)),
      );
    }
    this.openWatches.add(watch);
    try {
      yield* watch.batches();
    } finally {
      this.openWatches.delete(watch);
    }
  }

  #append(type: WatchEventType, object: Thing, previous: Thing | undefined): void {
    const entry = { version: this.#version, type, object, previous };
    this.#log.push(entry);
    for (const watch of this.openWatches) {
      if (this.#version > watch.from) watch.push(this.#framesOf(entry, watch.labelSelector));
    }
  }

  /** The event that a watch with a label selector receives: an object that leaves the selector is deleted for it. */
  #framesOf({ type, object, previous }: LogEntry, labelSelector: string | undefined): Frame[] {
    const matched = previous !== undefined && this.isSelected(previous, labelSelector);
    const matches = type !== 'DELETED' && this.isSelected(object, labelSelector);
    if (!matched && !matches) return [];
    if (matches) return [this.toFrame(matched ? 'MODIFIED' : 'ADDED', object)];
    const { resourceVersion } = object.metadata ?? {};
    const last = { ...previous, metadata: { ...previous?.metadata, resourceVersion } };
    return [this.toFrame('DELETED', last)];
  }

  /**
   * Rejects a list at a future version. A watch at a future version receives no event until the
   * source reaches it.
   */
  #checkFuture({ resourceVersion = '' }: ListRequest | WatchRequest): void {
    if (Number(resourceVersion) <= this.#version) return;
    throw statusError(504, 'Timeout', {
      details: { causes: [{ reason: 'ResourceVersionTooLarge' }] },
    });
  }

  #bookmark(metadata: Record<string, unknown>): Frame {
    return this.toFrame('BOOKMARK', {
      kind: 'Thing',
      apiVersion: 'example.com/v1',
      metadata: { resourceVersion: this.version, ...metadata },
    });
  }
}

/** One stream that a source keeps open. */
export class OpenWatch {
  /** The watch sends only later changes. */
  readonly from: number;
  readonly labelSelector: string | undefined;
  readonly #signal: AbortSignal;
  readonly #batches: FrameBatch[] = [];
  #end: { readonly error: Error | undefined } | undefined;
  #wake: () => void = () => undefined;

  constructor(signal: AbortSignal, from = 0, labelSelector?: string) {
    this.#signal = signal;
    this.from = from;
    this.labelSelector = labelSelector;
    signal.addEventListener('abort', () => this.#wake());
    this.push([]);
  }

  push(frames: readonly Frame[]): void {
    if (this.#end !== undefined) return;
    this.#batches.push({ frames, receivedAt: performance.now() });
    this.#wake();
  }

  end(error?: Error): void {
    this.#end = { error };
    this.#wake();
  }

  async *batches(): AsyncGenerator<FrameBatch> {
    for (;;) {
      this.#signal.throwIfAborted();
      const batch = this.#batches.shift();
      if (batch !== undefined) yield batch;
      else if (this.#end !== undefined) break;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    if (this.#end?.error !== undefined) throw this.#end.error;
  }
}

export function objectFrame(type: WatchEventType, object: unknown): Frame {
  return { type, format: undefined, buffer: nothing, from: 0, to: 0, object };
}

const nothing = new Uint8Array();

/** Encodes an object as bytes of JSON, as a socket delivers them. */
export function bytesFrame(type: WatchEventType, object: unknown): Frame {
  const buffer = Buffer.from(`..${JSON.stringify(object)}..`);
  return { type, format: jsonFormat, buffer, from: 2, to: buffer.length - 2 };
}

export function statusError(code: number, reason: string, extra: object = {}): StatusError {
  return new StatusError({ kind: 'Status', code, reason, message: reason, ...extra });
}

/** A Thing with a `resourceVersion` that does not come from the counter of the source. */
export function thing(name: string, metadata: object = {}): object {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    metadata: { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: '1', ...metadata },
  };
}

/** Starts a response and ends it without a frame. */
export async function* cutShort(): AsyncGenerator<FrameBatch> {
  yield { frames: [], receivedAt: 0 };
}

/** Starts a response without a frame, and ends when the request is aborted. */
export async function* silence(request: {
  readonly signal: AbortSignal;
}): AsyncGenerator<FrameBatch> {
  const watch = new OpenWatch(request.signal);
  yield* watch.batches();
}

/** Throws before the response starts. */
export async function* failing(cause: Error): AsyncGenerator<never> {
  yield* thrown(cause);
}

function thrown(cause: Error): never[] {
  throw cause;
}

/** The error of a refused connection. */
export function refused(): Error {
  return Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
}

/** Waits until the condition holds; fails the test after a million turns of the event loop. */
export async function eventually(holds: () => boolean, what = 'the condition'): Promise<void> {
  for (let turn = 0; turn < 1_000_000; turn++) {
    if (holds()) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  throw new Error(`${what} did not become true`);
}
