import type { ApiResource, KubernetesObject, ObjectName, Persisted } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { statusError } from './api-error.ts';
import type { Item } from './kind.ts';
import type { ObjectState } from './object-state.ts';
import type { Place, SimulatedServer } from './simulated-server.ts';

/** Receives the responses of writes. */
export interface WriteListener {
  written(resource: ApiResource, object: KubernetesObject, facts: { isCreation: boolean }): void;
  deleted(
    resource: ApiResource,
    object: ObjectName & { uid: string; resourceVersion: string },
  ): void;
}

/** Creates the client of a manager: the verbs that the simulation uses. */
export function simulatedClient(server: SimulatedServer): Client {
  return new SimulatedClient(server, []) as unknown as Client;
}

class SimulatedClient {
  readonly listerWatcher: SimulatedServer['listerWatcher'];
  readonly #server: SimulatedServer;
  readonly #listeners: readonly WriteListener[];

  constructor(server: SimulatedServer, listeners: readonly WriteListener[]) {
    this.listerWatcher = server.listerWatcher;
    this.#server = server;
    this.#listeners = listeners;
  }

  withFieldManager(): this {
    return this;
  }

  withWriteGuard(): this {
    return this;
  }

  withWriteObserver(listener: WriteListener): SimulatedClient {
    return new SimulatedClient(this.#server, [...this.#listeners, listener]);
  }

  async get(resource: ApiResource<Item>, name: ObjectName): Promise<Persisted<Item>> {
    return found(this.#server.find(placeOf(resource, name))).object;
  }

  async create(resource: ApiResource<Item>, object: Item): Promise<Persisted<Item>> {
    return this.update(resource, object);
  }

  async patch(resource: ApiResource<Item>, name: ObjectName): Promise<Persisted<Item>> {
    return this.update(resource, { metadata: { ...name } });
  }

  /** Writes an object. The response arrives after the events of the change, or before them. */
  async update(resource: ApiResource<Item>, { metadata, spec }: Item): Promise<Persisted<Item>> {
    const place = placeOf(resource, { namespace: '', name: '', ...metadata });
    const before = this.#server.find(place)?.content;
    const { object, stamp } = found(
      this.#server.write(place, {
        labels: metadata?.labels ?? before?.labels ?? {},
        value: spec?.value ?? 0,
        target: spec?.target ?? before?.target,
      }),
    );
    this.#server.ownWrites.add(stamp);
    if (stamp % 2 === 0) await new Promise<void>((resolve) => setImmediate(resolve));
    const facts = { isCreation: before === undefined };
    for (const listener of this.#listeners) listener.written(resource, object, facts);
    return object;
  }

  async delete(resource: ApiResource<Item>, name: ObjectName): Promise<Persisted<Item>> {
    const { identity, object } = found(this.#server.remove(placeOf(resource, name)));
    this.#server.ownWrites.add(this.#server.stamp);
    const { namespace, uid, version } = identity;
    const deleted = { namespace, name: identity.name, uid, resourceVersion: String(version) };
    for (const listener of this.#listeners) listener.deleted(resource, deleted);
    return object;
  }

  async apiClient(): Promise<never> {
    throw new Error('the simulation has no typed APIs');
  }

  async close(): Promise<void> {}
}

function placeOf(resource: ApiResource<Item>, { namespace = '', name }: ObjectName): Place {
  return { resource, namespace, name };
}

function found(state: ObjectState | undefined): ObjectState {
  if (state === undefined) throw statusError(404, 'NotFound');
  return state;
}
