import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { PeerContender } from '../cases/bench-case.ts';
import type { CaseServer } from '../servers/case-server.ts';
import { complaintOf, TIME_LIMIT_MS } from './complaint.ts';
import type { Metrics } from '../servers/protocol.ts';

/** Runs a contender in Go, which prints its measurement as its only line. */
export async function runPeer(
  { peer, environment }: PeerContender,
  { address, peers }: CaseServer,
): Promise<Metrics> {
  if (peers === undefined || address.access === undefined) {
    throw new Error('the peers in Go need a real server');
  }
  const child = spawn(peers, [`-kubeconfig=${address.access.kubeconfig}`, ...peer], {
    env: { PATH: process.env.PATH, ...environment },
    // Keeps the standard input open, because its end ends the scenario.
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: TIME_LIMIT_MS,
  });
  const complaint = complaintOf(child);
  let line = '';
  createInterface({ input: child.stdout }).on('line', (text) => (line = text));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${peer.join(' ')} measured nothing: ${complaint()}`);
  return JSON.parse(line) as Metrics;
}
