import { jest } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createClient, type Cluster } from '@keelson/client';
import { createInformerCache, type InformerCache, type WatchHandle } from '@keelson/informer';
import { EventHistory, stateOf } from '../event-history.ts';
import type { Suite } from '../suite.ts';
import { selection, type RandomWrites, type Step } from './random-writes.ts';
import { CourseListeners } from './course-listeners.ts';
import { RealTime, StoppedTime, type CourseTime } from './course-time.ts';
import type { Fault, Site } from './fault.ts';
import { HttpProxy } from './http-proxy.ts';
import { RequestLog } from './request-log.ts';
import { Tunnel } from './tunnel.ts';

/** The result of one fault. */
export interface Outcome {
  /** Events that a handler received and must never receive. */
  readonly complaints: readonly string[];
  readonly emitted: readonly string[];
  readonly stored: readonly string[];
  /** The objects on the server. */
  readonly expected: readonly string[];
  readonly lists: number;
  readonly watches: number;
  /** The cause of each list. */
  readonly causes: readonly string[];
  /** Milliseconds of waiting from the end of the fault until all events arrived. */
  readonly waited: number;
}

/** The inputs of a course. */
export interface CourseOptions {
  readonly suite: Suite;
  readonly writes: RandomWrites;
  readonly steps: readonly Step[];
  /** Another server of the same kind with its own writes; undefined if the tests may not start one. */
  readonly other: OtherServer | undefined;
}

/** An unrelated server with a namespace of the same name. */
export interface OtherServer {
  readonly cluster: Cluster;
  readonly writes: RandomWrites;
}

/** Longest wait for recovery, in milliseconds. */
const MAX_RECOVERY_MS = 3_600_000;

/** Runs one watch of a namespace with random writes through one fault. */
export class Course implements AsyncDisposable {
  readonly #options: CourseOptions;
  readonly #fault: Fault;
  readonly #tunnel: Tunnel;
  readonly #proxy: HttpProxy;
  readonly #log = new RequestLog();
  readonly #history = new EventHistory();
  readonly #listeners = new CourseListeners();
  readonly #time: CourseTime;
  readonly #client;
  readonly #cache: InformerCache;
  #handle: WatchHandle | undefined;
  #rest: readonly Step[];
  #isStriking = false;
  #over = false;

  private constructor(options: CourseOptions, fault: Fault, tunnel: Tunnel, proxy: HttpProxy) {
    this.#options = options;
    this.#fault = fault;
    this.#tunnel = tunnel;
    this.#proxy = proxy;
    this.#rest = options.steps;
    const isBusy = (): boolean => !(fault.dropsResponses && this.#isStriking) && this.#log.isBusy;
    this.#time = fault.takesTime ? new RealTime() : new StoppedTime(isBusy);
    const { cluster } = fault.via === 'tunnel' ? tunnel : proxy;
    // Credentials that can be refreshed, so that the client retries after a 401.
    const credentials: Cluster['credentials'] = async ({ force }) => ({
      ...(await cluster.credentials?.({ force })),
      headers: { 'x-fetched': force ? 'anew' : 'once' },
    });
    this.#client = createClient({
      cluster: { ...cluster, credentials },
      observer: this.#log.client,
      // The proxy changes lines of JSON. The tunnel forwards any bytes.
      protobuf: fault.via === 'tunnel',
    });
    this.#cache = createInformerCache({
      listerWatcher: (query) => this.#client.listerWatcher(query),
      now: () => this.#time.now(),
      random: () => 1,
      freeze: true,
      observer: this.#log.informer,
    });
  }

  static async open(options: CourseOptions, fault: Fault): Promise<Course> {
    const { cluster } = options.suite;
    const [tunnel, proxy] = [await Tunnel.open(cluster), await HttpProxy.open(cluster)];
    return new Course(options, fault, tunnel, proxy);
  }

  async run(): Promise<Outcome> {
    if (!this.#fault.strikesTheStart) {
      this.#acquire();
      await this.#handle?.synced;
      await this.#busy();
    }
    this.#listeners.join();
    this.#isStriking = true;
    await this.#fault.strike(this.#site());
    this.#isStriking = false;
    const started = this.#time.now();
    const { other, writes: here } = this.#options;
    const writes = this.#fault.goesBack ? given(other).writes : here;
    await writes.run(this.#take());
    const expected = await writes.state();
    this.#listeners.join();
    await this.#until(() => this.#history.state.join() === expected.join());
    await this.#until(() => this.#listeners.areSynced);
    const { lists, watches, causes } = this.#log;
    return {
      complaints: [...this.#complaints(), ...this.#listeners.complaints(expected)],
      emitted: this.#history.state,
      stored: stateOf(this.#handle?.store.list() as never),
      expected,
      lists,
      watches,
      causes,
      waited: Math.round(this.#time.now() - started),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over = true;
    await this.#cache.close();
    await this.#client.close();
    await this.#proxy[Symbol.asyncDispose]();
    await this.#tunnel[Symbol.asyncDispose]();
  }

  /** After a switch to a server with another history, versions may go back. */
  #complaints(): string[] {
    const { complaints } = this.#history;
    if (!this.#fault.goesBack) return complaints;
    return complaints.filter((complaint) => !complaint.endsWith('received an older version'));
  }

  #site(): Site {
    return {
      tunnel: this.#tunnel,
      proxy: this.#proxy,
      log: this.#log,
      controls: () => this.#options.suite.controls,
      acquire: () => this.#acquire(),
      busy: () => this.#busy(),
      pass: (milliseconds) => this.#time.pass(milliseconds),
      until: (holds) => this.#until(holds),
      setDate: (milliseconds) => jest.setSystemTime(milliseconds),
      elsewhere: () => given(this.#options.other).cluster,
    };
  }

  #acquire(): void {
    const { namespace } = this.#options.writes;
    const query = { resource: builtin.ConfigMap, namespace, ...selection };
    this.#handle = this.#cache.acquire(query, { owner: 'course' });
    this.#handle.addEventHandler(this.#history.handler);
    this.#listeners.attach(this.#handle);
  }

  /** Takes a third of the steps: for the time before, during and after the fault. */
  #take(): readonly Step[] {
    const third = Math.ceil(this.#options.steps.length / 3);
    const taken = this.#rest.slice(0, third);
    this.#rest = this.#rest.slice(third);
    return taken;
  }

  async #busy(): Promise<void> {
    await this.#options.writes.run(this.#take());
  }

  async #until(holds: () => boolean): Promise<void> {
    const start = this.#time.now();
    while (!holds()) {
      const waited = this.#time.now() - start;
      if (this.#over || waited > MAX_RECOVERY_MS)
        throw new Error('the expected state was not reached in time');
      await this.#time.pass(Math.max(10, waited / 100));
    }
  }
}

function given<Part>(part: Part | undefined): Part {
  if (part === undefined)
    throw new Error('this fault needs a control plane that the tests may stop');
  return part;
}
