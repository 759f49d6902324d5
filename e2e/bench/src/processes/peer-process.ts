import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';
import type { PeerContender } from '../cases/bench-case.ts';
import type { CaseServer } from '../servers/case-server.ts';
import { complaintOf, TIME_LIMIT_MS } from './complaint.ts';
import type { Address, Command, Metrics } from '../servers/protocol.ts';

/**
 * Runs a contender in Go or Rust. It prints JSON lines: `{"ask": …}` is a command for the server, and its last line is
 * its measurement.
 */
export async function runPeer(
  { peer, environment }: PeerContender,
  program: string,
  server: Pick<CaseServer, 'address' | 'ask'> | undefined,
): Promise<Metrics> {
  const child = spawn(program, [...connection(server?.address), ...peer], {
    env: { PATH: process.env.PATH, ...environment },
    // Keeps the standard input open, because its end ends the scenario.
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: TIME_LIMIT_MS,
  });
  const complaint = complaintOf(child);
  // A peer that does not wait for its command may have ended.
  child.stdin.on('error', () => undefined);
  let measured: Metrics | undefined;
  let asked: Promise<unknown> = Promise.resolve();
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line = JSON.parse(text) as { readonly ask?: Command };
    if (line.ask === undefined) measured = line as Metrics;
    else if (server !== undefined) asked = answered(server.ask(line.ask), child.stdin);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0 || measured === undefined) {
    throw new Error(`${peer.join(' ')} measured nothing: ${complaint()}`);
  }
  await asked;
  return measured;
}

/** Reports to the peer that the command was performed. */
async function answered(reply: Promise<unknown>, input: Writable): Promise<void> {
  await reply;
  input.write('performed\n');
}

/** A fake server has no kubeconfig, because it has no authentication. */
function connection(address: Address | undefined): readonly string[] {
  if (address === undefined) return [];
  const { access, url } = address;
  return [access === undefined ? `-server=${url}` : `-kubeconfig=${access.kubeconfig}`];
}
