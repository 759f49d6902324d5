import { pick } from '../server/pick.ts';
import type { Actions } from './action.ts';
import type { World } from '../world/world.ts';
import { HeldHandle, type HandlerManner } from '../cache/held-handle.ts';
import { queries } from '../cache/queries.ts';

const manners: readonly HandlerManner[] = [
  'plain',
  'plain',
  'resyncs',
  'throws',
  'rejects',
  'releases',
];

/** Actions on the handles of the cache. */
export const handleActions: Actions = {
  acquire: (world, n) => `acquires ${acquire(world, n).name}`,
  'add handler': (world, n) => {
    const held = pick(world.live, n);
    const manner = pick(manners, Math.floor(n / 7)) ?? 'plain';
    held?.addHandler(manner);
    return held && `adds a handler (${manner}) to ${held.name}`;
  },
  'release handle': (world, n) => {
    const held = pick(world.live, n);
    held?.release();
    return held && `releases ${held.name}`;
  },
  'release handle twice': (world, n) => {
    const held = pick(world.live, n);
    held?.release();
    held?.release();
    return held && `releases ${held.name} twice`;
  },
  restart: (world, n) => {
    const held = pick(world.live, n);
    held?.handle.restart().catch(() => undefined);
    return held && `restarts ${held.name}`;
  },
};

function acquire(world: World, n: number): HeldHandle {
  const query = pick(queries, n) ?? { resource: queries[0]!.resource };
  const number = world.handles.length + 1;
  const isScoped = n % 3 > 0;
  const handle = (isScoped ? world.scope : world.cache).acquire(query, {
    owner: `handle ${number}`,
  });
  const { server, report, trace } = world;
  const held = new HeldHandle({ number, isScoped, query, handle, server, report, trace });
  held.addHandler(pick(manners, Math.floor(n / queries.length)) ?? 'plain');
  world.handles.push(held);
  return held;
}
