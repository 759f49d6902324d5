import type { ApiResource, ObjectName, Persisted } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { statusError } from './api-error.ts';
import type { Item } from './kind.ts';
import type { ObjectState } from './object-state.ts';
import type { Place, SimulatedServer } from './simulated-server.ts';

/** Creates the client of a manager: the verbs that the simulation uses. Each write takes a turn. */
export function simulatedClient(server: SimulatedServer): Client {
  const client = {
    listerWatcher: server.listerWatcher,
    withFieldManager: () => client,
    withWriteGuard: () => client,
    get: async (resource: ApiResource<Item>, name: ObjectName) =>
      found(server.find(placeOf(resource, name))),
    create: (resource: ApiResource<Item>, object: Item) => write(server, resource, object),
    update: (resource: ApiResource<Item>, object: Item) => write(server, resource, object),
    patch: (resource: ApiResource<Item>, name: ObjectName) =>
      write(server, resource, { metadata: { ...name } }),
    delete: async (resource: ApiResource<Item>, name: ObjectName) =>
      found(server.remove(placeOf(resource, name))),
    apiClient: () => Promise.reject(new Error('the simulation has no typed APIs')),
    close: () => Promise.resolve(),
  };
  return client as unknown as Client;
}

async function write(
  server: SimulatedServer,
  resource: ApiResource<Item>,
  { metadata, spec }: Item,
): Promise<Persisted<Item>> {
  await Promise.resolve();
  const place = placeOf(resource, { namespace: '', name: '', ...metadata });
  const before = server.find(place)?.content;
  const state = server.write(place, {
    labels: metadata?.labels ?? before?.labels ?? {},
    value: spec?.value ?? 0,
    target: spec?.target ?? before?.target,
  });
  return found(state);
}

function placeOf(resource: ApiResource<Item>, { namespace = '', name }: ObjectName): Place {
  return { resource, namespace, name };
}

function found(state: ObjectState | undefined): Persisted<Item> {
  if (state === undefined) throw statusError(404, 'NotFound');
  return state.object;
}
