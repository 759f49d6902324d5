import { builtin, type ApiResource, type ObjectName, type Persisted } from '@keelson/apimachinery';
import type { Client, WatchEvent, WriteGuard, WriteObserver } from '@keelson/client';
import { connectionError, statusError } from './api-error.ts';
import { Thing, type Item } from './kind.ts';
import type { ObjectState } from './object-state.ts';
import type { LeaseObject } from './simulated-lease.ts';
import type { Place, SimulatedServer } from './simulated-server.ts';

/** The query under which faults of writes are looked up: they affect all kinds. */
const ANY_QUERY = {
  resource: Thing,
  namespace: undefined,
  labelSelector: undefined,
  fieldSelector: undefined,
  projection: 'full',
} as const;

/** The body of a write as observers receive it: each write has an effect, as one that is bound to the former version. */
const bound = {
  contentType: 'application/json',
  text: JSON.stringify({ metadata: { resourceVersion: 'former' } }),
};

/** Milliseconds until a response, chosen by the number of the change: before its events, or long after them. */
const DELAYS_MS = [0, 1, 30, 3_000] as const;

/** The response to every seventh change is lost, so that nothing reports the write. */
const LOST = 7;

interface ClientOptions {
  readonly server: SimulatedServer;
  readonly observers: readonly WriteObserver[];
  /** Who writes. */
  readonly writer: string;
  readonly guard: WriteGuard | undefined;
}

/** A change that a write made. */
interface Written {
  /** The object of the response. */
  readonly state: ObjectState;
  /** The number of the change. */
  readonly stamp: number;
  readonly is: 'created' | 'updated' | 'gone';
}

/** Creates a client: the verbs that the simulation uses. */
export function simulatedClient(server: SimulatedServer): Client {
  const options = { server, observers: [], writer: 'process', guard: undefined };
  return new SimulatedClient(options) as unknown as Client;
}

class SimulatedClient {
  readonly listerWatcher: SimulatedServer['listerWatcher'];
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.listerWatcher = options.server.listerWatcher;
  }

  withFieldManager(writer: string): SimulatedClient {
    return new SimulatedClient({ ...this.#options, writer });
  }

  withWriteGuard(guard: WriteGuard): SimulatedClient {
    return new SimulatedClient({ ...this.#options, guard });
  }

  withWriteObserver(observer: WriteObserver): SimulatedClient {
    const observers = [...this.#options.observers, observer];
    return new SimulatedClient({ ...this.#options, observers });
  }

  async get(resource: ApiResource, name: ObjectName): Promise<Persisted> {
    const { server } = this.#options;
    if (resource === builtin.Lease) return server.lease.get();
    const state = server.find(placeOf(resource, name));
    if (state === undefined) throw notFound();
    return state.object;
  }

  async create(resource: ApiResource, object: Item): Promise<Persisted> {
    const { server } = this.#options;
    if (resource === builtin.Lease) return server.lease.create(object as LeaseObject);
    return this.#write(resource, () => {
      const { generateName, name = `${generateName}${server.stamp % 4}` } = object.metadata ?? {};
      const place = placeOf(resource, { ...object.metadata, name });
      if (server.find(place) !== undefined) throw statusError(409, 'AlreadyExists');
      return this.#changed(place, object);
    });
  }

  async update(resource: ApiResource, object: Item): Promise<Persisted> {
    const { server } = this.#options;
    if (resource === builtin.Lease) return server.lease.update(object as LeaseObject);
    return this.#write(resource, () => {
      const place = placeOf(resource, object.metadata);
      const found = server.find(place);
      if (found === undefined) throw notFound();
      const { resourceVersion = '' } = object.metadata ?? {};
      if (resourceVersion !== '' && resourceVersion !== String(found.identity.version)) {
        throw statusError(409, 'Conflict');
      }
      return this.#changed(place, object);
    });
  }

  async patch(
    resource: ApiResource,
    name: ObjectName,
    { body }: { readonly body: Item },
  ): Promise<Persisted> {
    return this.update(resource, { ...body, metadata: { ...body.metadata, ...name } });
  }

  async apply(resource: ApiResource, object: Item): Promise<Persisted> {
    return this.#write(resource, () => this.#changed(placeOf(resource, object.metadata), object));
  }

  async delete(resource: ApiResource, name: ObjectName): Promise<Persisted> {
    const { server } = this.#options;
    return this.#write(resource, () => {
      const place = placeOf(resource, name);
      const before = server.find(place);
      if (before === undefined || before.content.isTerminating === true) throw notFound();
      const state = server.delete(place);
      return stateAfter(state, server, server.find(place) === undefined ? 'gone' : 'updated');
    });
  }

  /** Watches Leases: the state at present, then every change. */
  watch(
    _: ApiResource,
    { signal }: { readonly signal: AbortSignal },
  ): AsyncIterable<WatchEvent<LeaseObject>> {
    return this.#options.server.lease.watch(signal);
  }

  async apiClient(): Promise<never> {
    throw new Error('the simulation has no typed APIs');
  }

  async close(): Promise<void> {}

  /** Sends a write. Its response arrives before or after the events of the change, or is lost. */
  async #write(resource: ApiResource, act: () => Written): Promise<Persisted> {
    const { server, guard, writer, observers } = this.#options;
    guard?.check();
    this.#fail();
    const { state, stamp, is } = act();
    const { number } = server;
    if (guard !== undefined) server.lease.checkWriter(writer);
    await delay(DELAYS_MS[stamp % DELAYS_MS.length] ?? 0);
    if (stamp % LOST === 0) throw connectionError('ECONNRESET');
    guard?.signal.throwIfAborted();
    const { object, identity, key } = state;
    const { namespace, name, uid, version } = identity;
    const gone = { namespace, name, uid, resourceVersion: String(version) };
    const isCreation = is === 'created';
    for (const observer of observers) {
      if (is === 'gone') observer.deleted(resource, gone);
      else observer.written(resource, object, { isCreation, sent: bound });
    }
    const at = performance.now();
    const deleted = is === 'gone' ? uid : undefined;
    const facts = { by: writer, at, isCreation, deleted, server: number };
    server.ownWrites.add({ resource, key, stamp, ...facts });
    return object;
  }

  #fail(): void {
    const effect = this.#options.server.faults.next('write', ANY_QUERY);
    if (effect?.does === 'respond') throw statusError(effect.code, effect.reason);
    if (effect !== undefined) throw connectionError('ECONNREFUSED');
  }

  /** Creates or changes an object. What the writer does not name stays. */
  #changed(place: Place, { metadata, spec }: Item): Written {
    const { server } = this.#options;
    const before = server.find(place)?.content;
    const isHeld =
      metadata?.finalizers === undefined ? before?.isHeld : metadata.finalizers.length > 0;
    const state = server.write(place, {
      labels: metadata?.labels ?? before?.labels ?? {},
      value: spec?.value ?? before?.value ?? 0,
      target: spec?.target ?? before?.target,
      isHeld,
    });
    const isGone = before?.isTerminating === true && isHeld !== true;
    return stateAfter(
      state,
      server,
      isGone ? 'gone' : before === undefined ? 'created' : 'updated',
    );
  }
}

function stateAfter(
  state: ObjectState | undefined,
  { stamp }: SimulatedServer,
  is: Written['is'],
): Written {
  if (state === undefined) throw notFound();
  return { state, stamp, is };
}

function notFound(): Error {
  return statusError(404, 'NotFound');
}

async function delay(milliseconds: number): Promise<void> {
  if (milliseconds === 0) return;
  await new Promise<void>((resolve) => {
    if (milliseconds === 1) setImmediate(resolve);
    else setTimeout(resolve, milliseconds);
  });
}

function placeOf(
  resource: ApiResource,
  { namespace = '', name = '' }: Partial<Record<'namespace' | 'name', string | undefined>> = {},
): Place {
  return { resource, namespace, name };
}
