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
};
