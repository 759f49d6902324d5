import { setTimeout as pause } from 'node:timers/promises';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { install } from '@keelson/example-support';
import { createClient, type Client } from '@keelson/manager';
import { runFaultCourse } from './faults/fault-course.ts';
import { replicaFaults } from './faults/replica-faults.ts';
import { serverFaults } from './faults/server-faults.ts';
import { Replicas } from './replica/replicas.ts';
import type { Recording } from './report/recording.ts';
import type { Random, System } from './systems/system.ts';

export interface SoakOptions {
  readonly systems: readonly System[];
  /** Milliseconds of load and faults in each round. */
  readonly round: number;
  readonly rounds: number;
  /** The mean time between two faults of the server, in milliseconds. */
  readonly faultEvery: number;
  /** The mean time between two faults of replicas, each of which ends a process, in milliseconds. */
  readonly endEvery: number;
  readonly random: Random;
  readonly recording: Recording;
  readonly print: (line: string) => void;
}

/** Milliseconds between two samples. */
const SAMPLE_EVERY = 2_000;
/** Milliseconds between two changes by the user of the systems. */
const ACT_EVERY = 50;
/** Milliseconds within which the systems must settle after the faults. */
const SETTLE_WITHIN = 120_000;
/** Milliseconds after which connections that nothing uses are closed. */
const IDLE = 10_000;

/**
 * Runs rounds. In each, users change objects while faults occur. Then the faults end, the systems settle, every object
 * is deleted, and the replicas are measured at rest. Returns what was wrong, a line each.
 */
export async function soak(options: SoakOptions): Promise<readonly string[]> {
  const { systems, rounds, recording, print } = options;
  const server = await createApiServer({ tls: true });
  // The client of the users has a connection of its own, which the faults of the server affect too.
  const client = createClient({ cluster: server.cluster });
  const complaints: string[] = [];
  try {
    await install(
      client,
      systems.flatMap(({ definitions }) => definitions),
    );
    const replicas = new Replicas(server.cluster, 2);
    const over = new AbortController();
    const sampled = sampleUntil(over.signal, replicas, recording);
    try {
      for (let round = 1; round <= rounds; round += 1) {
        await loadAndFaults(options, { server, client, replicas });
        const unsettled = await within(SETTLE_WITHIN, () => problems(systems, 'unsettled', client));
        for (const system of systems) await system.clear(client);
        const left = await within(SETTLE_WITHIN, () => problems(systems, 'left', client));
        complaints.push(...[...unsettled, ...left].map((line) => `round ${round}: ${line}`));
        await pause(IDLE);
        const rest = await replicas.sample();
        recording.rest(rest);
        print(
          `round ${round} of ${rounds}: ${recording.faults.length} faults so far, ` +
            rest
              .map(
                ({ replica, isLeader, heap, handles }) =>
                  `${replica}${isLeader ? '*' : ''} ${(heap / 1e6).toFixed(1)} MB, ${handles} handles`,
              )
              .join('; '),
        );
      }
    } finally {
      over.abort();
      await sampled;
      await replicas.stop();
    }
    return [...complaints, ...replicas.failures, ...recording.growth()];
  } finally {
    await client.close();
    await server.close();
  }
}

interface Place {
  readonly server: ApiServer;
  readonly client: Client;
  readonly replicas: Replicas;
}

/** One round of changes and faults. */
async function loadAndFaults(
  { systems, round, faultEvery, endEvery, random, recording }: SoakOptions,
  { server, client, replicas }: Place,
): Promise<void> {
  const signal = AbortSignal.timeout(round);
  const target = { server, replicas, random, began: (name: string) => recording.fault(name) };
  await Promise.all([
    runFaultCourse({ ...target, faults: serverFaults, every: faultEvery }, signal),
    runFaultCourse({ ...target, faults: replicaFaults, every: endEvery }, signal),
    ...systems.map((system) => act(system, client, random, signal)),
  ]);
}

/** Changes objects of a system until the signal aborts. A change that a fault prevents is left out. */
async function act(
  system: System,
  client: Client,
  random: Random,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await system.act(client, random).catch(() => undefined);
    await pause(ACT_EVERY * 2 * random());
  }
}

async function sampleUntil(
  signal: AbortSignal,
  replicas: Replicas,
  recording: Recording,
): Promise<void> {
  while (!signal.aborted) {
    recording.add(await replicas.sample());
    await pause(SAMPLE_EVERY, undefined, { signal }).catch(() => undefined);
  }
}

/** The problems of all systems. */
async function problems(
  systems: readonly System[],
  which: 'unsettled' | 'left',
  client: Client,
): Promise<string[]> {
  const lines = await Promise.all(
    systems.map(async (system) =>
      (await system[which](client)).map((line) => `${system.name}: ${line}`),
    ),
  );
  return lines.flat();
}

/** Asks until no problem is left or the time is over. Returns the last problems. */
async function within(milliseconds: number, ask: () => Promise<string[]>): Promise<string[]> {
  const end = performance.now() + milliseconds;
  for (;;) {
    const lines = await ask().catch((error: unknown) => [String(error)]);
    if (lines.length === 0 || performance.now() > end) return lines;
    await pause(250);
  }
}
