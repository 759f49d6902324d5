import type { Client } from '@keelson/manager';
import { ReplicaProcess, type ReplicaPlace } from './replica-process.ts';
import { Work } from './work.ts';

/** Prints who leads while the leader is stopped, killed and suspended; every 100 ms an object needs work. */
export async function tour(
  place: ReplicaPlace,
  client: Client,
  say: (line: string) => void,
): Promise<void> {
  const work = new Work(client, place.namespace);
  const enough = new AbortController();
  const over = new AbortController();
  const recorded = work.record(over.signal);
  const replicas = new Map<string, ReplicaProcess>();
  const began = performance.now();
  const row = (what: string): void => {
    const seconds = `${((performance.now() - began) / 1000).toFixed(1)} s`.padStart(7);
    const states = ['a', 'b'].map((name) => (replicas.get(name)?.state ?? '–').padEnd(9)).join(' ');
    say(`${seconds}  ${states} ${String(work.handled.length).padStart(7)}  ${what}`);
  };
  const start = async (name: string): Promise<void> => {
    const replica = new ReplicaProcess(name, place);
    replicas.set(name, replica);
    await replica.until('standby');
  };
  const replica = (name: string): ReplicaProcess => replicas.get(name) as ReplicaProcess;
  /** Shows a row each second until the replica leads. */
  const untilLeader = async (name: string): Promise<void> => {
    const rows = setInterval(() => row('…'), 1000);
    await replica(name)
      .until('leader')
      .finally(() => clearInterval(rows));
    row(`${name} leads`);
  };
  say('   time  a         b         handled');
  try {
    await start('a');
    await untilLeader('a');
    await start('b');
    const adding = work.keepAdding(100, enough.signal);
    await work.untilHandled(5);
    row('b is the standby: its cache and its queue are filled');
    row('SIGTERM to a: it frees the Lease');
    replica('a').signal('SIGTERM');
    await untilLeader('b');
    await start('a');
    row('kill -9 of b: its Lease expires after 5 s');
    replica('b').signal('SIGKILL');
    await untilLeader('a');
    await start('b');
    row('SIGSTOP to a: the process is suspended');
    replica('a').signal('SIGSTOP');
    await untilLeader('b');
    row('SIGCONT to a: it may no longer write, and ends');
    replica('a').signal('SIGCONT');
    await replica('a').ended;
    row(`a ended: ${replica('a').lastLine}`);
    enough.abort();
    await adding;
    await work.untilHandled(work.created);
    over.abort();
    await recorded;
  } finally {
    enough.abort();
    over.abort();
    for (const process of replicas.values()) await process[Symbol.asyncDispose]();
  }
  work.checkTerms();
  const terms = work.terms().map(({ replica: name, handled }) => `${name}: ${handled}`);
  say(
    `handled ${work.handled.length} of ${work.created}, one leader after the other: ${terms.join(', ')}`,
  );
}
