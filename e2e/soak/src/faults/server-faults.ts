import type { Fault } from './fault.ts';

/** Faults of the API server and of the connections to it. */
export const serverFaults: readonly Fault[] = [
  { name: 'watches end', begin: ({ server }) => void server.faults.cutWatches() },
  { name: 'watches reset', begin: ({ server }) => void server.faults.cutWatches({ how: 'reset' }) },
  { name: '410 as an event', begin: ({ server }) => void server.faults.expireWatches() },
  { name: 'events cut in their line', begin: ({ server }) => void server.faults.truncateWatches() },
  { name: 'connections break', begin: ({ server }) => void server.faults.breakConnections() },
  {
    name: 'history compacted, connections break',
    begin({ server }) {
      server.compact();
      server.faults.breakConnections();
    },
  },
  {
    name: 'connections half-open',
    begin: ({ server }) => lasting(server.faults.silenceConnections()),
  },
  {
    name: 'connections refused',
    begin: ({ server }) => lasting(server.faults.refuseConnections()),
  },
  { name: '429 with Retry-After', begin: ({ server }) => lasting(server.faults.throttle()) },
  { name: '500', begin: ({ server }) => lasting(server.faults.fail({ code: 500 })) },
  {
    name: '503 for lists',
    begin: ({ server }) => lasting(server.faults.fail({ code: 503, verb: 'list' })),
  },
  { name: 'requests reset', begin: ({ server }) => lasting(server.faults.reset()) },
  {
    name: 'responses delayed by 1 s',
    begin: ({ server }) => lasting(server.faults.delay({ by: '1s' })),
  },
  { name: 'requests hang', begin: ({ server }) => lasting(server.faults.hang()) },
  {
    name: 'events delayed by 2 s',
    begin: ({ server }) => lasting(server.faults.delayWatches({ by: '2s' })),
  },
  { name: 'events stall', begin: ({ server }) => lasting(server.faults.stallWatches()) },
  { name: 'no bookmarks', begin: ({ server }) => lasting(server.faults.withholdBookmarks()) },
  { name: 'watches end at once', begin: ({ server }) => lasting(server.faults.endWatchesAtOnce()) },
  {
    name: 'lists are slow',
    begin: ({ server }) => lasting(server.faults.slowLists({ by: '100ms' })),
  },
  { name: 'no WatchList', begin: ({ server }) => lasting(server.faults.refuseWatchList()) },
  {
    name: '403 for watches',
    begin: ({ server }) => lasting(server.faults.forbid({ verb: 'watch' })),
  },
];

function lasting(fault: { end(): unknown }): () => unknown {
  return () => fault.end();
}
