import type { Client } from '@keelson/manager';
import { ReplicaProcess } from './replica-process.ts';
import { Work } from './work.ts';

const OBJECTS = 60;

/** The measurements of a tour. */
export interface TourResult {
  readonly runs: number;
  /** Runs of one object in two replicas at once. */
  readonly overlaps: readonly string[];
  /** Milliseconds until the other replicas handled all objects, by the event. */
  readonly takeovers: Readonly<Record<'SIGTERM' | 'SIGKILL' | 'SIGSTOP', number>>;
  /** The last line of the replica that was suspended. */
  readonly suspended: string;
}

/** Prints who handles how many objects while one replica becomes four and then two, and two of them fail. */
export async function tour(
  server: string,
  client: Client,
  say: (line: string) => void,
): Promise<TourResult> {
  const work = new Work(client);
  const over = new AbortController();
  const recorded = work.record(over.signal);
  const replicas = new Map<string, ReplicaProcess>();
  const began = performance.now();
  const names = ['a', 'b', 'c', 'd', 'e'];
  const row = (what: string): void => {
    const seconds = `${((performance.now() - began) / 1000).toFixed(1)} s`.padStart(7);
    const shares = work.shares();
    const columns = names.map((name) => String(shares.get(name) ?? '–').padStart(3)).join(' ');
    say(`${seconds}  ${columns}  ${String(work.runs).padStart(5)}  ${what}`);
  };
  /** Waits until the replicas share the objects. Rejects if one of them ends before. */
  const shared = async (): Promise<void> => {
    const failed = [...replicas.values()].map(async ({ name, ended: end }) => {
      const line = await end;
      if (replicas.has(name)) throw new Error(`${name} ended: ${line}`);
    });
    for (const failure of failed) failure.catch(() => undefined);
    const isShared = work.untilSharedBy([...replicas.keys()]);
    await Promise.race([isShared, ...failed]);
  };
  const start = async (name: string): Promise<void> => {
    const replica = new ReplicaProcess(name, server);
    replicas.set(name, replica);
    await replica.joined;
    await shared();
    row(`${name} has joined`);
  };
  /** Ends a replica, and waits until the others have its objects. */
  const end = async (name: string, signal: 'SIGTERM' | 'SIGKILL' | 'SIGSTOP'): Promise<number> => {
    const replica = replicas.get(name) as ReplicaProcess;
    replicas.delete(name);
    if (signal !== 'SIGTERM') work.killed.add(name);
    replica.signal(signal);
    ended.push(replica);
    const sent = performance.now();
    await shared();
    const takeover = performance.now() - sent;
    row(`${signal} to ${name}: the others have its objects`);
    return takeover;
  };
  const ended: ReplicaProcess[] = [];
  say(`   time  ${names.map((name) => name.padStart(3)).join(' ')}   runs`);
  try {
    await work.create(OBJECTS);
    for (const name of ['a', 'b', 'c', 'd']) await start(name);
    const takeovers = { SIGTERM: await end('a', 'SIGTERM'), SIGKILL: 0, SIGSTOP: 0 };
    takeovers.SIGKILL = await end('b', 'SIGKILL');
    await start('e');
    takeovers.SIGSTOP = await end('c', 'SIGSTOP');
    const suspended = ended.at(-1) as ReplicaProcess;
    suspended.signal('SIGCONT');
    const lastLine = await suspended.ended;
    row(`SIGCONT to c: it ended with ${lastLine}`);
    return { runs: work.runs, overlaps: work.overlaps, takeovers, suspended: lastLine };
  } finally {
    over.abort();
    await recorded;
    for (const replica of [...replicas.values(), ...ended]) await replica[Symbol.asyncDispose]();
  }
}
