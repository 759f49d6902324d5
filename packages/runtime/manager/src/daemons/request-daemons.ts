import type { Clock } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { ManagerError } from '../errors.ts';
import { requestFacts } from '../logging/request-facts.ts';
import type { Logger } from '../logging/logger.ts';
import { sleeper } from '../user-code/sleeper.ts';
import type { UserCode } from '../user-code/user-code.ts';
import { Daemon, type DaemonParts } from './daemon.ts';
import { wantedDaemon, type Daemons } from './daemons.ts';

/** The most daemons of one request. */
const MAX_OF_REQUEST = 32;
/** The most daemons of one controller. */
const MAX_OF_CONTROLLER = 10_000;

/** The parts of a controller that its daemons use. */
export interface RequestDaemonsOptions {
  readonly controller: string;
  readonly clock: Clock;
  readonly client: Client;
  readonly log: Logger;
  readonly userCode: UserCode;
  readonly observer: { sourceError(): void };
}

/** The requests of a controller, as its daemons need them. */
export interface DaemonRequests<Q extends object> {
  /** False if the namespace of a request has left the controller, or its slot this replica. */
  isNeeded(request: Q): boolean;
  enqueue(request: Q): void;
}

/** The daemons that one run starts or keeps. */
export interface RunDaemons extends Daemons {
  readonly kept: ReadonlySet<string>;
  /** Ends the run: code that it left behind starts nothing. */
  close(): void;
}

/** A request with daemons. */
interface Owner<Q extends object> {
  readonly request: Q;
  readonly daemons: Map<string, Daemon>;
}

/** The daemons of the requests of one controller. */
export class RequestDaemons<Q extends object> {
  /** True once a run has used daemons. A field, because each end of a run reads it. */
  isUsed = false;
  readonly #options: RequestDaemonsOptions;
  /** By the keys of the requests. A daemon that ends stays until its task has ended. */
  readonly #owners = new Map<string, Owner<Q>>();
  /** The ends of the daemons that have not ended. */
  readonly #live = new Set<Promise<void>>();
  #requests: DaemonRequests<Q> | undefined;
  #isClosed = false;

  constructor(options: RequestDaemonsOptions) {
    this.#options = options;
  }

  /** Connects the daemons with the sources of the controller, which are created after its loop. */
  connect(requests: DaemonRequests<Q>): void {
    this.#requests = requests;
  }

  /** The number of daemons whose tasks run or wait for their next start. */
  get size(): number {
    return this.#live.size;
  }

  /** Returns the daemons of a request for one of its runs. */
  begin(key: string, request: Q): RunDaemons {
    this.isUsed = true;
    const kept = new Set<string>();
    let isOver = false;
    return {
      kept,
      close: () => void (isOver = true),
      run: (name, task, options) => {
        const wanted = wantedDaemon(name, task, options);
        if (isOver || this.#isClosed || this.#requests?.isNeeded(request) !== true) return;
        this.#keep(key, request, wanted);
        kept.add(name);
      },
      end: async (name) => {
        // A daemon that calls it would wait for itself.
        if (isOver) return;
        const { daemons } = this.#owners.get(key) ?? {};
        const ends = [...(daemons ?? [])]
          .filter(([each]) => name === undefined || each === name)
          .map(([each, daemon]) => {
            kept.delete(each);
            return this.#end(key, each, daemon);
          });
        await Promise.all(ends);
      },
    };
  }

  /** Ends the daemons that a complete run did not keep, and all if the request left during the run. */
  ended(key: string, run: RunDaemons | undefined, isComplete: boolean): void {
    run?.close();
    const owner = this.#owners.get(key);
    if (owner === undefined) return;
    const isNeeded = this.#requests?.isNeeded(owner.request) === true;
    if (isNeeded && !isComplete) return;
    for (const [name, daemon] of owner.daemons) {
      if (!isNeeded || run?.kept.has(name) !== true) void this.#end(key, name, daemon);
    }
  }

  /** Ends the daemons of a request whose object is gone. */
  gone(key: string): void {
    void this.#endOf(key);
  }

  /** Ends the daemons of the requests that the controller no longer needs. */
  sweep(): void {
    for (const [key, { request }] of this.#owners) {
      if (this.#requests?.isNeeded(request) !== true) void this.#endOf(key);
    }
  }

  /** Ends the daemons of these requests. Returns the key and the end of each of them. */
  leave(
    leaves: (request: Q, key: string) => boolean,
  ): [request: Q, key: string, ended: Promise<void>][] {
    return [...this.#owners]
      .filter(([key, { request }]) => leaves(request, key))
      .map(([key, { request }]) => [request, key, this.#endOf(key)]);
  }

  /** Ends all daemons, and starts no further one. Resolves when all have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const key of this.#owners.keys()) void this.#endOf(key);
    await this.idle();
  }

  /** Resolves when every daemon has ended. */
  async idle(): Promise<void> {
    await Promise.all(this.#live);
  }

  #keep(key: string, request: Q, wanted: ReturnType<typeof wantedDaemon>): void {
    const owner = this.#owners.get(key) ?? { request, daemons: new Map<string, Daemon>() };
    const known = owner.daemons.get(wanted.name);
    if (known?.takes(wanted) === true) return known.keep(wanted);
    if (known === undefined) this.#checkRoom(owner);
    const after = known?.end(this.#reason(wanted.name));
    const daemon = new Daemon(wanted, this.#partsFor(request), after);
    this.#owners.set(key, owner);
    owner.daemons.set(wanted.name, daemon);
    const ended = daemon.ended.finally(() => this.#live.delete(ended));
    this.#live.add(ended);
  }

  #checkRoom({ daemons }: Owner<Q>): void {
    const { controller } = this.#options;
    const isFull = daemons.size >= MAX_OF_REQUEST;
    if (!isFull && this.#live.size < MAX_OF_CONTROLLER) return;
    const limit = isFull ? MAX_OF_REQUEST : MAX_OF_CONTROLLER;
    throw new ManagerError('TOO_MANY_DAEMONS', { controller, limit });
  }

  async #endOf(key: string): Promise<void> {
    const { daemons } = this.#owners.get(key) ?? {};
    await Promise.all([...(daemons ?? [])].map(([name, daemon]) => this.#end(key, name, daemon)));
  }

  async #end(key: string, name: string, daemon: Daemon): Promise<void> {
    await daemon.end(this.#reason(name));
    const owner = this.#owners.get(key);
    // A later run may have started another one of the name.
    if (owner?.daemons.get(name) !== daemon) return;
    owner.daemons.delete(name);
    if (owner.daemons.size === 0) this.#owners.delete(key);
  }

  #reason(daemon: string): ManagerError {
    return new ManagerError('STOPPING', { controller: this.#options.controller, daemon });
  }

  #partsFor(request: Q): DaemonParts {
    const { clock, client, userCode, observer } = this.#options;
    const logOf = (daemon: string): Logger =>
      this.#options.log.child({ ...requestFacts(request), daemon });
    return {
      clock,
      userCode,
      contextOf: ({ name }, signal, attempt) => {
        return {
          signal,
          clock,
          attempt,
          client: client.withSignal(() => signal),
          sleep: sleeper(clock, () => signal),
          log: logOf(name),
          enqueue: () => {
            if (!signal.aborted) this.#requests?.enqueue(request);
          },
        };
      },
      failed: ({ name }, error, delay) => {
        observer.sourceError();
        logOf(name).error({ err: error, ...(delay !== undefined && { delay }) }, 'daemon failed');
      },
    };
  }
}
