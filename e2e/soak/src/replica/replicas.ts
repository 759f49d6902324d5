import { ReplicaProcess } from './replica-process.ts';
import type { Sample } from './sample.ts';

/** A sample of one of the processes. */
export interface ReplicaSample extends Sample {
  readonly replica: string;
}

/** Two replicas. A process that ends is replaced, as a Deployment would do. */
export class Replicas {
  readonly #cluster: object;
  readonly #running = new Set<ReplicaProcess>();
  readonly #failures: string[] = [];
  #last: readonly ReplicaSample[] = [];
  #started = 0;
  #isStopping = false;

  constructor(cluster: object, count: number) {
    this.#cluster = cluster;
    for (let index = 0; index < count; index += 1) this.#start();
  }

  /** The ends of processes that no fault explains. */
  get failures(): readonly string[] {
    return this.#failures;
  }

  /** The number of processes that were started. */
  get started(): number {
    return this.#started;
  }

  /** The state of each process that runs. */
  async sample(): Promise<readonly ReplicaSample[]> {
    const samples = await Promise.all(
      [...this.#running].map(async (process) => ({ process, sample: await process.sample() })),
    );
    this.#last = samples.flatMap(({ process, sample }) =>
      sample === undefined ? [] : [{ ...sample, replica: process.identity }],
    );
    return this.#last;
  }

  /** Sends a signal to the process that led at the last sample. */
  signalLeader(signal: 'SIGTERM' | 'SIGKILL' | 'SIGSTOP'): void {
    const leader = this.#last.find(({ isLeader }) => isLeader)?.replica;
    for (const process of this.#running) if (process.identity === leader) process.signal(signal);
  }

  /** Continues suspended processes. */
  resume(): void {
    for (const process of this.#running) process.signal('SIGCONT');
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.resume();
    await Promise.all([...this.#running].map((process) => process.stop()));
  }

  #start(): void {
    this.#started += 1;
    const process = new ReplicaProcess(`replica-${this.#started}`, this.#cluster);
    this.#running.add(process);
    void process.ended.then((end) => this.#ended(process, end));
  }

  #ended(process: ReplicaProcess, end: number | string): void {
    this.#running.delete(process);
    // A process that was suspended, or that the server did not serve, loses its Lease and ends with this error.
    const expected = end === 0 || end === 'SIGKILL' || process.error === 'LEADERSHIP_LOST';
    if (!expected) this.#failures.push(`${process.identity} ended: ${process.error ?? end}`);
    if (!this.#isStopping) this.#start();
  }
}
