import type { Fault } from './fault.ts';

/** Faults of the replicas. Each leads to a change of the leader, and to a process that begins anew. */
export const replicaFaults: readonly Fault[] = [
  { name: 'SIGTERM to the leader', begin: ({ replicas }) => replicas.signalLeader('SIGTERM') },
  { name: 'kill -9 of the leader', begin: ({ replicas }) => replicas.signalLeader('SIGKILL') },
  {
    name: 'leader suspended',
    begin({ replicas }) {
      replicas.signalLeader('SIGSTOP');
      return () => replicas.resume();
    },
  },
];
