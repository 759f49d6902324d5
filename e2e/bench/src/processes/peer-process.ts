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
  { address, peers }: Partial<Pick<CaseServer, 'address' | 'peers'>>,
): Promise<Metrics> {
  // A fake server has no kubeconfig, with which the peers connect.
  if (peers === undefined || (address !== undefined && address.access === undefined)) {
    throw new Error('the peers in Go need their program, and no server or a real server');
  }
  const access = address?.access;
  const server = access === undefined ? [] : [`-kubeconfig=${access.kubeconfig}`];
  const child = spawn(peers, [...server, ...peer], {
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
