import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { builtin } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { ReplicaProcess, type LeaseTimings } from './replica-process.ts';
import { runLabel, RunRecord, type RunStep } from './run-record.ts';
import { sharedClock } from './shared-clock.ts';

/** The number of objects: enough for each of four replicas, by far, to run some. */
const OBJECTS = 64;

export interface ShardCourseOptions {
  readonly client: Client;
  /** The path of the kubeconfig of the replicas. */
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly timings: LeaseTimings;
  /** A folder for files of the replicas. */
  readonly folder: string;
}

/** Replicas in processes of their own, and the record of their runs. A process that ends unasked is started again. */
export class ShardCourse implements AsyncDisposable {
  readonly record: RunRecord = new RunRecord();
  readonly #options: ShardCourseOptions;
  /** The replicas that are to run. */
  readonly #replicas = new Map<string, ReplicaProcess>();
  /** All processes that were started. */
  readonly #processes: ReplicaProcess[] = [];
  readonly #over = new AbortController();
  readonly #recorded: Promise<void>;

  private constructor(options: ShardCourseOptions, version: string | undefined) {
    this.#options = options;
    this.#recorded = this.#watch(version);
  }

  /** Creates the objects. */
  static async open(options: ShardCourseOptions): Promise<ShardCourse> {
    const { client, namespace } = options;
    let version: string | undefined;
    for (let at = 0; at < OBJECTS; at += 1) {
      const metadata = { namespace, name: `run-${at}`, labels: { [runLabel]: '' } };
      const made = await client.create(builtin.ConfigMap, { metadata });
      version = made.metadata?.resourceVersion;
    }
    return new ShardCourse(options, version);
  }

  /** Starts replicas. Resolves when they have joined. */
  async start(...names: readonly string[]): Promise<void> {
    await Promise.all(names.map((name) => this.#start(name).joined));
  }

  /** The present process of a replica. */
  replica(name: string): ReplicaProcess {
    const replica = this.#replicas.get(name);
    if (replica === undefined) throw new Error(`${name} does not run`);
    return replica;
  }

  /** Sends SIGTERM to a replica. Resolves when its process has ended. */
  async leave(name: string): Promise<ReplicaProcess> {
    const replica = this.replica(name);
    this.#replicas.delete(name);
    replica.signal('SIGTERM');
    await replica.ended;
    return replica;
  }

  /** Starts a new process of a replica, and ends the former one when the new one has joined. */
  async update(name: string): Promise<ReplicaProcess> {
    const former = this.replica(name);
    this.#replicas.delete(name);
    await this.start(name);
    former.signal('SIGTERM');
    await former.ended;
    return former;
  }

  /** Resolves when the replicas that are to run, and no others, have run every key after a time. */
  async shared(since: number = sharedClock()): Promise<void> {
    await this.record.until((record) => {
      const names = [...this.#replicas.values()].map(({ name }) => name);
      return record.isSharedBy(names, OBJECTS, since);
    });
  }

  /** Runs that another replica followed although their own had neither failed nor ended them. */
  get overlaps(): readonly string[] {
    const excused = new Set(this.#processes.filter((one) => one.hasFailed).map((one) => one.name));
    const failed = new Set(this.#processes.flatMap(({ failedRuns }) => [...failedRuns]));
    return this.record.interruptions
      .filter(({ run, replica }) => !excused.has(replica) && !failed.has(run))
      .map(({ key, run, by }) => `${key}: ${by} began during ${run}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#replicas.clear();
    this.#over.abort();
    await Promise.all(this.#processes.map((replica) => replica[Symbol.asyncDispose]()));
    await this.#recorded;
  }

  #start(name: string): ReplicaProcess {
    const { folder, kubeconfig, namespace, timings } = this.#options;
    const count = this.#processes.filter((one) => one.name.startsWith(`${name}.`)).length;
    const replica = new ReplicaProcess({
      kubeconfig,
      namespace,
      timings,
      modules: join(folder, 'modules'),
      name: `${name}.${count + 1}`,
    });
    this.#processes.push(replica);
    this.#replicas.set(name, replica);
    void this.#restart(name, replica);
    return replica;
  }

  /** Starts a replica again whose process ends although it is to run, as a kubelet does. */
  async #restart(name: string, replica: ReplicaProcess): Promise<void> {
    await replica.ended;
    if (this.#replicas.get(name) === replica) this.#start(name);
  }

  /** Records the writes of the runs. A watch that breaks begins again at its last version, so that no write is missed. */
  async #watch(from: string | undefined): Promise<void> {
    const { client, namespace } = this.#options;
    const { signal } = this.#over;
    let resourceVersion = from;
    while (!signal.aborted) {
      try {
        const selection = { namespace, labelSelector: runLabel, resourceVersion, signal };
        for await (const { type, object } of client.watch(builtin.ConfigMap, selection)) {
          resourceVersion = object.metadata?.resourceVersion;
          const { name = '' } = object.metadata ?? {};
          if (type === 'MODIFIED') this.record.add(stepOf(name, object.data ?? {}));
        }
      } catch {
        await sleep(100, undefined, { signal }).catch(() => undefined);
      }
    }
  }
}

function stepOf(key: string, data: Readonly<Record<string, string>>): RunStep {
  const { replica = '', run = '', step, at } = data;
  return { key, replica, run, step: step as RunStep['step'], at: Number(at) };
}
