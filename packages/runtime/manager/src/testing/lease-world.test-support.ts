import { StatusError } from '@keelson/apimachinery';
import type { ElectionTime } from '../leader-election/election-time.ts';
import type { LeaseLock, StoredLease } from '../leader-election/lease-lock.ts';
import { recordOf, withRecord, type LeaseRecord } from '../leader-election/lease-record.ts';

const nothing = (): void => undefined;

interface Due {
  at: number;
  /** Actions of the same time run in this order. */
  readonly order: number;
  readonly process: VirtualProcess | undefined;
  readonly run: () => void;
}

/** Virtual time with processes that can be stalled, and a server that stores one Lease. */
export class LeaseWorld {
  now = 0;
  readonly random: () => number;
  readonly server: LeaseServer;
  #order = 0;
  #due: Due[] = [];

  constructor(random: () => number) {
    this.random = random;
    this.server = new LeaseServer(this);
  }

  /**
   * Runs an action after a delay; if its process is stalled then, as soon as the stall ends. `last`: after all others
   * of that time, because Node does not define the order of timers and responses after a stall.
   */
  after(delay: number, run: () => void, process?: VirtualProcess, last = false): () => void {
    this.#order += 1;
    const order = last ? Infinity : this.#order;
    const due: Due = { at: this.now + delay, order, process, run };
    this.#due.push(due);
    return () => {
      this.#due = this.#due.filter((other) => other !== due);
    };
  }

  /** Lets virtual time pass; between two actions every pending promise continues. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.now + milliseconds;
    await turn();
    for (let due = this.#next(end); due !== undefined; due = this.#next(end)) {
      this.now = Math.max(this.now, due.at);
      due.run();
      await turn();
    }
    this.now = end;
  }

  #next(end: number): Due | undefined {
    let first: Due | undefined;
    for (const due of this.#due) {
      due.at = Math.max(due.at, due.process?.stalledUntil ?? 0);
      if (first === undefined || isBefore(due, first)) first = due;
    }
    if (first === undefined || first.at > end) return undefined;
    this.#due.splice(this.#due.indexOf(first), 1);
    return first;
  }
}

function isBefore(one: Due, other: Due): boolean {
  return one.at === other.at ? one.order < other.order : one.at < other.at;
}

/** Resolves after all microtasks. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The clocks of one process. While it is stalled, none of its timers fires and no response reaches it. */
export class VirtualProcess implements ElectionTime {
  readonly world: LeaseWorld;
  stalledUntil = 0;
  /** How wrong the wall clock is. */
  readonly skew: number;
  /** True while no request of this process reaches the server, and no response reaches the process. */
  partitioned = false;

  constructor(world: LeaseWorld, skew = 0) {
    this.world = world;
    this.skew = skew;
  }

  readonly now = (): number => this.world.now;
  readonly wallClock = (): number => Date.UTC(2026, 0, 1) + this.world.now + this.skew;
  readonly random = (): number => this.world.random();
  readonly startTimer = (milliseconds: number, fire: () => void): (() => void) =>
    this.world.after(milliseconds, fire, this, this.world.random() < 0.5);

  stall(milliseconds: number): void {
    this.stalledUntil = Math.max(this.stalledUntil, this.world.now + milliseconds);
  }
}

/** The latency of a request in milliseconds, and whether it or its response is lost. */
export interface Journey {
  readonly there: number;
  readonly back: number;
  readonly lost?: 'request' | 'response';
}

const QUICK: Journey = { there: 1, back: 1 };
const REQUEST_TIMEOUT_MS = 5_000;

/** Stores one Lease with optimistic locking, and counts requests. */
export class LeaseServer {
  readonly #world: LeaseWorld;
  readonly requests: string[] = [];
  /** Decides the journey of each request. */
  journey: () => Journey = () => QUICK;
  /** True if watches are refused. */
  refusesWatches = false;
  /** How many versions a read is behind, as behind a proxy that keeps responses. */
  lag: () => number = () => 0;
  readonly #former: (StoredLease | undefined)[] = [];
  #stored: StoredLease | undefined;
  #version = 0;
  readonly #watchers = new Set<(stored: StoredLease | undefined) => void>();

  constructor(world: LeaseWorld) {
    this.#world = world;
  }

  get record(): LeaseRecord | undefined {
    return this.#stored?.record;
  }

  /** Writes as another program would. */
  write(record: LeaseRecord | undefined): void {
    this.#version += 1;
    this.#former.push(this.#stored);
    this.#stored = record === undefined ? undefined : this.#leaseOf(record);
    for (const notify of this.#watchers) notify(this.#stored);
  }

  lockFor(process: VirtualProcess): LeaseLock {
    return {
      get: (signal) => this.#request(process, 'get', signal, () => this.#read()),
      create: (record, signal) =>
        this.#request(process, 'create', signal, () => {
          if (this.#stored !== undefined) throw statusOf(409, 'AlreadyExists');
          return this.#written(record);
        }),
      update: (old, record, signal) =>
        this.#request(process, 'update', signal, () => {
          if (this.#stored === undefined) throw statusOf(404, 'NotFound');
          const version = this.#stored.lease.metadata?.resourceVersion;
          if (version !== old.lease.metadata?.resourceVersion) throw statusOf(409, 'Conflict');
          return this.#written(record);
        }),
      changes: (signal) => this.#watch(process, signal),
    };
  }

  #read(): StoredLease | undefined {
    const lag = Math.min(this.lag(), this.#former.length);
    return lag === 0 ? this.#stored : this.#former.at(-lag);
  }

  #written(record: LeaseRecord): StoredLease {
    this.write(record);
    return this.#stored as StoredLease;
  }

  #leaseOf(record: LeaseRecord): StoredLease {
    const metadata = { namespace: 'default', name: 'lease', resourceVersion: `${this.#version}` };
    const lease = withRecord({ metadata }, record);
    return { lease, record: recordOf(lease) };
  }

  #request<Result>(
    process: VirtualProcess,
    verb: string,
    signal: AbortSignal,
    act: () => Result,
  ): Promise<Result> {
    const { there, back, lost } = this.journey();
    return new Promise((resolve, reject) => {
      const fail = (): void => reject(new Error('timeout'));
      if (signal.aborted) {
        reject(signal.reason as Error);
        return;
      }
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      this.#world.after(REQUEST_TIMEOUT_MS, fail, process, this.#world.random() < 0.5);
      this.#world.after(there, () => {
        if (lost === 'request' || process.partitioned) return;
        this.requests.push(verb);
        const settle = settled(act, resolve, reject);
        this.#world.after(
          back,
          () => {
            if (lost !== 'response' && !process.partitioned) settle();
          },
          process,
        );
      });
    });
  }

  async *#watch(
    process: VirtualProcess,
    signal: AbortSignal,
  ): AsyncGenerator<StoredLease | undefined, void, undefined> {
    if (this.refusesWatches || process.partitioned) throw new Error('refused');
    this.requests.push('watch');
    const pending: (StoredLease | undefined)[] = this.#stored === undefined ? [] : [this.#stored];
    let wake: () => void = nothing;
    const notify = (stored: StoredLease | undefined): void => {
      if (process.partitioned) return;
      this.#world.after(
        this.journey().back,
        () => {
          pending.push(stored);
          wake();
        },
        process,
      );
    };
    const end = (): void => wake();
    this.#watchers.add(notify);
    signal.addEventListener('abort', end, { once: true });
    try {
      while (!signal.aborted) {
        if (pending.length > 0) yield pending.shift();
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      this.#watchers.delete(notify);
      signal.removeEventListener('abort', end);
    }
  }
}

/** Acts at once, and returns a function that settles with the outcome. */
function settled<Result>(
  act: () => Result,
  resolve: (result: Result) => void,
  reject: (error: unknown) => void,
): () => void {
  try {
    const result = act();
    return () => resolve(result);
  } catch (error) {
    return () => reject(error);
  }
}

function statusOf(code: number, reason: string): StatusError {
  return new StatusError({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason });
}
