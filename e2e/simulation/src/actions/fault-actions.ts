import { connectionError } from '../server/api-error.ts';
import type { Effect, Verb } from '../server/request-fault.ts';
import { errorFrame, type ServerStream } from '../server/server-stream.ts';
import { pick } from '../server/pick.ts';
import type { Action, Actions } from './action.ts';
import type { World } from '../world/world.ts';

const REQUESTS: readonly Verb[] = ['list', 'watch'];

/**
 * The faults of docs/faults.md, by the words of its table. A source of frames sees no sockets, so that faults of a
 * connection that differ only below it act alike.
 */
export const faultActions: Actions = {
  'the connection is closed (FIN) after some bytes': onStream((stream, n) => {
    stream.framesLeft = 1 + (n % 3);
  }),
  'the connection is reset (RST) after some bytes': onStream((stream) => stream.cut(reset())),
  'three TLS handshakes are cut': onAll((world) =>
    affect(world, { does: 'refuse', code: 'ECONNRESET' }, { times: 3 }),
  ),
  'half-open: no bytes pass in either direction': (world) => {
    for (const stream of world.server.streams) stream.isMute = true;
    return 'every watch';
  },
  'half-open: no bytes arrive from the server': onStream(mute),
  "half-open: a load balancer loses its server and keeps the client's connection": onStream(mute),
  'no bytes for 30 s, then all of them': onStream((stream) => holdFor(stream, 30_000)),
  'one byte at a time': onStream((stream) => {
    stream.isSlow = true;
  }),
  'connections are refused for 60 s': onAll((world) =>
    affect(world, { does: 'refuse', code: 'ECONNREFUSED' }, { lasts: 60_000 }),
  ),
  'connections are accepted and never served for 60 s': onAll((world) =>
    affect(world, { does: 'hang' }, { lasts: 60_000 }),
  ),
  '100 cuts in 10 s': (world) => {
    for (let at = 1; at <= 100; at++) setTimeout(() => cutAll(world), at * 100);
    return 'every watch';
  },
  'the system clock jumps by days': ({ clock }, n) => {
    clock.wallOffset += (n % 2 === 0 ? 3 : -3) * 86_400_000;
    return n % 2 === 0 ? 'forwards' : 'backwards';
  },
  'a line is cut in the middle': onStream(breakLine),
  'a chunk header is cut in the middle': onStream(breakLine),
  'the response ends normally in the middle of a line': onStream(breakLine),
  'a line that is not JSON': onStream(breakLine),
  'a line whose object is not JSON': onStream((stream, _n, world) => {
    if (world.rareFaultsLeft.malformed-- > 0) stream.damage = 'torn';
  }),
  '410 as an event': onStream(expire),
  '410, and the relist is cut twice': onStream((stream, n, world) => {
    expire(stream, n, world);
    affect(world, { does: 'cut', after: n % 2 }, { times: 2 });
  }),
  '410 as a status': onAll((world) =>
    affect(world, { does: 'respond', code: 410, reason: 'Expired' }, { times: 1 }),
  ),
  '410, then three responses that end at once': onStream((stream, n, world) => {
    expire(stream, n, world);
    affect(world, { does: 'end-at-once' }, { times: 3 });
  }),
  '429 with Retry-After, twice': onAll((world) =>
    affect(
      world,
      { does: 'respond', code: 429, reason: 'TooManyRequests', retryAfter: 2 },
      { times: 2 },
    ),
  ),
  '500, 502, 503, 504 with an HTML page': onAll((world, n) => {
    const code = pick([500, 502, 503, 504], n) ?? 500;
    affect(world, { does: 'respond', code, reason: 'InternalError' }, { times: 4 });
  }),
  '200 with an HTML page': onAll((world) => affect(world, { does: 'confuse' }, { times: 2 })),
  '401 once': onAll((world) =>
    affect(world, { does: 'respond', code: 401, reason: 'Unauthorized' }, { times: 1 }),
  ),
  '403 for a while': onAll((world) =>
    affect(world, { does: 'respond', code: 403, reason: 'Forbidden' }, { lasts: 30_000 }),
  ),
  'every response ends at once for 20 s': onAll((world) =>
    affect(world, { does: 'end-at-once' }, { lasts: 20_000 }),
  ),
  'connections are reset after 4 kB for 20 s': onAll((world) =>
    affect(world, { does: 'cut', after: 2 }, { lasts: 20_000 }),
  ),
  'the initial state is cut twice before its bookmark': onStream((stream, n, world) => {
    expire(stream, n, world);
    affect(world, { does: 'cut', after: 1 }, { times: 2 });
  }),
  'the bookmark that ends the initial state never arrives': onStream((stream, n, world) => {
    expire(stream, n, world);
    affect(world, { does: 'endless-initial-state' }, { times: 1 });
  }),
  'each page of a paged list is cut once': onStream((stream, n, world) => {
    world.server.supportsWatchList = false;
    world.server.pageSize = 1;
    expire(stream, n, world);
    affect(world, { does: 'cut', after: 0 }, { times: 3 });
  }),
  'half-open: silence after a bookmark every minute': onStream((stream, _n, { server }) => {
    server.bookmark(stream);
    setTimeout(() => server.bookmark(stream), 60_000);
    setTimeout(() => mute(stream), 61_000);
  }),
  'old events are sent again': onStream((stream, n, { server, rareFaultsLeft }) => {
    if (rareFaultsLeft.repeated-- > 0) server.repeat(stream, 1 + (n % 4));
  }),
  'another server with another history takes over': ({ server }) => {
    server.replace();
    return `server ${server.number}`;
  },
  'the API server is restarted': onAll((world) => {
    affect(world, { does: 'refuse', code: 'ECONNREFUSED' }, { lasts: 5_000 });
    world.server.compact();
  }),
  'the API server is paused': (world) => {
    for (const stream of world.server.streams) holdFor(stream, 10_000);
    affect(world, { does: 'hang' }, { times: 2 });
    return 'every watch';
  },
  'the history is compacted': ({ server }) => {
    server.compact();
    return 'every kind';
  },
};

/** Faults that the table does not have, because no connection is at fault. */
export const otherFaultActions: Actions = {
  'a gateway responds 404': onAll((world) =>
    affect(world, { does: 'respond', code: 404, reason: 'NotFound' }, { times: 2 }),
  ),
  'one query is forbidden for a while': (world, n) => {
    const stream = pick([...world.server.streams], n);
    if (stream === undefined) return undefined;
    const { query } = stream;
    const effect = { does: 'respond', code: 403, reason: 'Forbidden' } as const;
    const affects = (other: unknown): boolean => other === query;
    world.server.faults.add({ effect, verbs: REQUESTS, lasts: 40_000, affects });
    stream.cut(reset());
    return stream.text;
  },
  'the body of an object is not JSON': onStream((stream) => {
    stream.damage = 'spoiled';
  }),
  'every watch ends': ({ server }) => {
    for (const stream of server.streams) stream.end();
    return 'every watch';
  },
};

/** Acts on one open watch. */
function onStream(act: (stream: ServerStream, n: number, world: World) => void): Action {
  return (world, n) => {
    const stream = pick([...world.server.streams], n);
    if (stream === undefined) return undefined;
    act(stream, n, world);
    return stream.text;
  };
}

/** Cuts every watch, so that the next requests meet the fault. */
function onAll(act: (world: World, n: number) => void): Action {
  return (world, n) => {
    act(world, n);
    cutAll(world);
    return 'every watch';
  };
}

function affect({ server }: World, effect: Effect, end: { times?: number; lasts?: number }): void {
  server.faults.add({ effect, verbs: REQUESTS, ...end });
}

function expire(stream: ServerStream, _n: number, { server }: World): void {
  server.compact();
  stream.push(errorFrame(410, 'Expired'));
}

function mute(stream: ServerStream): void {
  stream.isMute = true;
}

function holdFor(stream: ServerStream, milliseconds: number): void {
  stream.isHeld = true;
  setTimeout(() => stream.release(), milliseconds);
}

function breakLine(stream: ServerStream): void {
  stream.cut(new Error('the response ended within an object'));
}

function cutAll({ server }: World): void {
  for (const stream of server.streams) stream.cut(reset());
}

function reset(): Error {
  return connectionError('ECONNRESET');
}
