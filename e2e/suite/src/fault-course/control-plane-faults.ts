import type { Fault } from './fault.ts';

/** Faults of the processes of a control plane, which run with the real clock. */
export const processFaults: readonly Fault[] = [
  {
    name: 'the API server is restarted',
    via: 'tunnel',
    takesTime: true,
    // The watch cache of a starting kube-apiserver is empty: it may respond 410 to every older version.
    forgets: true,
    watches: 10,
    async strike({ controls, busy }) {
      await Promise.all([controls().restart('kube-apiserver'), busy()]);
    },
  },
  {
    name: 'the API server is paused',
    via: 'tunnel',
    takesTime: true,
    async strike({ controls, busy }) {
      await controls().pause('kube-apiserver');
      const writing = busy();
      await controls().resume('kube-apiserver');
      await writing;
    },
  },
  {
    name: 'the history is compacted',
    via: 'tunnel',
    takesTime: true,
    forgets: true,
    watches: 10,
    async strike({ controls, busy }) {
      await Promise.all([controls().compact(), busy()]);
    },
  },
];

/** A different server behind the same address. */
export const serverFaults: readonly Fault[] = [
  {
    name: 'another server with another history takes over',
    via: 'proxy',
    forgets: true,
    goesBack: true,
    async strike({ proxy, busy, elsewhere }) {
      await busy();
      proxy.target = elsewhere();
      proxy.cut();
    },
  },
];
