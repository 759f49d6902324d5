import { pick } from '../server/pick.ts';
import type { Actions } from './action.ts';
import type { World } from '../world/world.ts';
import { kinds, labels, names, namespaces, Thing } from '../server/kind.ts';
import type { Content } from '../server/object-state.ts';
import type { Place } from '../server/simulated-server.ts';

/** Changes of objects, and how the server sends them. */
export const serverActions: Actions = {
  write: (world, n) => textOf('writes', write(world, n)),
  remove: (world, n) => {
    const place = placeOf(n);
    return world.server.remove(place) && textOf('deletes', place);
  },
  recreate: (world, n) => {
    world.server.remove(placeOf(n));
    return textOf('deletes and creates', write(world, n));
  },
  fill: (world, n) => {
    for (let at = 0; at < 8; at++) write(world, n + at * 5);
    return 'writes 8 objects';
  },
  'hold changes': ({ server }, n) => {
    server.isHeld = n % 2 === 0;
    server.lag = n % 3;
    server.latency = n % 5 === 0 ? 200 : 0;
    server.supportsWatchList = n % 7 < 4;
    server.pageSize = n % 4 === 0 ? 1 : 500;
    const { isHeld, lag, latency, supportsWatchList, pageSize } = server;
    return `sets ${JSON.stringify({ isHeld, lag, latency, supportsWatchList, pageSize })}`;
  },
  send: ({ server }, n) => {
    const stream = pick([...server.streams], n);
    if (stream !== undefined) server.send(stream, 1 + (n % 3));
    return stream && 'sends changes to one watch';
  },
  bookmark: ({ server }, n) => {
    const stream = pick([...server.streams], n);
    if (stream !== undefined) server.bookmark(stream);
    return stream && 'sends a bookmark to one watch';
  },
  'delete definition': ({ server }, n) => {
    const { resource } = placeOf(n);
    if (!server.serves(resource)) return undefined;
    server.unserve(resource);
    return `deletes the definition of ${resource.plural}`;
  },
  'create definition': ({ server, cache }, n) => {
    const resource = pick(
      kinds.filter((kind) => !server.serves(kind)),
      n,
    );
    if (resource === undefined) return undefined;
    server.serve(resource);
    if (n % 2 === 0) cache.served(resource);
    const report = n % 2 === 0 ? ', and reports it to the cache' : '';
    return `creates the definition of ${resource.plural}${report}`;
  },
};

function write({ server }: World, n: number): Place {
  const place = placeOf(n);
  server.write(place, contentOf(n));
  return place;
}

/** Chooses a place. Most objects are things. */
export function placeOf(n: number): Place {
  const resource = (n % 5 < 3 ? kinds[0] : kinds[1 + (n % 2)]) ?? Thing;
  const namespace = namespaces[n % 7 < 4 ? 0 : 1] ?? 'n1';
  return { resource, namespace, name: pick(names, n) ?? 'a' };
}

/** Chooses the content of an object. */
export function contentOf(n: number): Content {
  return {
    labels: pick(labels, Math.floor(n / 3)) ?? {},
    value: n,
    target: pick(names, Math.floor(n / 11)),
  };
}

function textOf(verb: string, { resource, namespace, name }: Place): string {
  return `${verb} ${resource.kind} ${namespace}/${name}`;
}
