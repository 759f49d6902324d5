import type { HeldStream } from '../cache/held-stream.ts';
import { pick } from '../server/pick.ts';
import type { World } from '../world/world.ts';
import type { Actions } from './action.ts';

/** Streams of events, which their readers read slowly. */
export const streamActions: Actions = {
  'open stream': ({ live }, n) => {
    const held = pick(live, n);
    const stream = held?.addStream();
    if (n % 2 === 0) stream?.read(Infinity);
    return stream && `opens ${stream.name}${n % 2 === 0 ? ', and reads all' : ''}`;
  },
  'read stream': (world, n) => {
    const stream = pick(openStreams(world), n);
    const count = 1 + (n % 4);
    stream?.read(count);
    return stream && `reads ${count} events of ${stream.name}`;
  },
  'close stream': (world, n) => {
    const stream = pick(openStreams(world), n);
    stream?.close();
    return stream && `closes ${stream.name}`;
  },
};

function openStreams({ live }: World): HeldStream[] {
  return live.flatMap(({ streams }) => streams.filter(({ isOpen }) => isOpen));
}
