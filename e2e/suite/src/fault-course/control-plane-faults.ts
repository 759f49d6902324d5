import type { Fault } from './fault.ts';

/** What happens to the processes of a control plane, in their own time. */
export const processFaults: readonly Fault[] = [
  {
    name: 'the API server is restarted',
    via: 'tunnel',
    takesTime: true,
    // The watch cache of a kube-apiserver that starts is empty: it may answer 410 to every older version.
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

/** A server that is not the one we knew. */
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
