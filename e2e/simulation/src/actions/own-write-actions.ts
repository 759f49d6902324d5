import type { Persisted } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import type { Item } from '../server/kind.ts';

import type { Place } from '../server/simulated-server.ts';
import type { World } from '../world/world.ts';
import type { Action, Actions } from './action.ts';
import { contentOf, placeOf } from './server-actions.ts';

/** A finalizer of the writer. */
const FINALIZERS = ['example.com/hold'];

/** Writes of this process, whose responses reach the cache. They fail as any request does. */
export const ownWriteActions: Actions = {
  create: onPlace('creates', (client, object, place) => client.create(place.resource, object)),
  'create held': onPlace('creates with a finalizer', (client, object, place) =>
    client.create(place.resource, withFinalizers(object, FINALIZERS)),
  ),
  'create by generateName': onPlace('creates by generateName', (client, { spec }, place) => {
    const { resource, namespace } = place;
    return client.create(resource, {
      metadata: { namespace, generateName: 'made-' },
      ...(spec && { spec }),
    });
  }),
  update: onPlace('updates', (client, object, place) => client.update(place.resource, object)),
  'update from the cache': (world, n) => {
    const place = placeOf(n);
    const found = cached(world, place);
    if (found === undefined) return undefined;
    send(world, (client) => client.update(place.resource, { ...found, spec: { value: n } }));
    return textOf('updates', place);
  },
  patch: onPlace('patches', (client, { spec }, place) =>
    client.patch(place.resource, place, {
      type: 'merge',
      body: { spec: { value: spec?.value ?? 0 } },
    }),
  ),
  apply: onPlace('applies', (client, object, place) => client.apply(place.resource, object)),
  'leave selectors': onPlace('relabels', (client, { metadata }, { resource, namespace, name }) =>
    client.apply(resource, { metadata: { ...metadata, namespace, name, labels: { app: 'z' } } }),
  ),
  hold: onPlace('adds a finalizer to', (client, object, place) =>
    client.update(place.resource, withFinalizers(object, FINALIZERS)),
  ),
  'end hold': onPlace('removes the finalizers of', (client, object, place) =>
    client.update(place.resource, withFinalizers(object, [])),
  ),
  delete: onPlace('deletes', (client, _, place) => client.delete(place.resource, place)),
  'delete and create': onPlace('deletes and creates', async (client, object, place) => {
    await client.delete(place.resource, place);
    await client.create(place.resource, object);
  }),
  'write in a race': (world, n) => {
    const place = placeOf(n);
    send(world, (client) => client.apply(place.resource, objectOf(place, n)));
    world.server.write(place, contentOf(n + 1));
    send(world, (client) => client.apply(place.resource, objectOf(place, n + 2)));
    return textOf('writes, while another client writes,', place);
  },
};

function onPlace(
  verb: string,
  write: (client: Client, object: Item, place: Place) => Promise<unknown>,
): Action {
  return (world, n) => {
    const place = placeOf(n);
    send(world, (client) => write(client, objectOf(place, n), place));
    return textOf(verb, place);
  };
}

/** Sends a write. It may fail, and its response arrives later. */
function send({ client }: World, write: (client: Client) => Promise<unknown>): void {
  void write(client).catch(() => undefined);
}

function objectOf({ namespace, name }: Place, n: number): Item {
  const { labels, value, target } = contentOf(n);
  return { metadata: { namespace, name, labels }, spec: { value, ...(target && { target }) } };
}

function withFinalizers(object: Item, finalizers: string[]): Item {
  return { ...object, metadata: { ...object.metadata, finalizers } };
}

/** Returns the object that a handle has, with its version. */
function cached(
  { live }: World,
  { resource, namespace, name }: Place,
): Persisted<Item> | undefined {
  const held = live.find(({ query, handle }) => {
    const isFull = query.projection === 'full' && handle.hasSynced;
    return query.resource === resource && isFull && handle.store.has({ namespace, name });
  });
  return held?.stateOf({ namespace, name })?.object;
}

function textOf(verb: string, { resource, namespace, name }: Place): string {
  return `${verb} ${resource.kind} ${namespace}/${name}`;
}
