import { LEASE_MS } from '../server/simulated-lease.ts';
import type { Actions } from './action.ts';

/** Another process competes for the Lease of the manager, and requests for the Lease fail. */
export const electionActions: Actions = {
  'another process competes': ({ server, hasElection }, n) =>
    hasElection ? server.lease.compete(n % 3 === 0) : undefined,
  'requests for the Lease fail': ({ server, hasElection }, n) => {
    if (!hasElection) return undefined;
    const milliseconds = n % 2 === 0 ? 60_000 : 2_000_000;
    server.lease.fail(milliseconds);
    return `for ${milliseconds} ms`;
  },
  'another process takes the Lease of a manager that cannot renew it': async (world) => {
    const { server, managed, clock, hasElection } = world;
    if (!hasElection || managed === undefined) return undefined;
    managed.start();
    await clock.idle();
    server.lease.fail(2 * LEASE_MS.leaseDuration);
    await clock.pass(LEASE_MS.leaseDuration + 1);
    return server.lease.compete(false);
  },
};
