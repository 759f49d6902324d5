import { endsWithin, type SharedSlice } from '@keelson/apimachinery';
import PQueue from 'p-queue';
import type { AddOptions, ItemState, LimitOptions } from '@keelson/workqueue';
import type { CauseSet, QueuedCause } from '../reconcile/cause.ts';
import type { ControllerReading, ReconcileResult } from './controller-observer.ts';
import type { CountedPass } from './first-pass.ts';
import { ManagerError } from '../errors.ts';
import type { History } from '../history/history.ts';
import type { PurgeReason } from '../history/purge.ts';
import type { CallScope } from '../user-code/call-scope.ts';
import { RunSlots } from '../event-loop/run-slots.ts';
import { ReconcileRun, type RunDependencies } from './reconcile-run.ts';
import { PulledLoops, type PulledWork, type WorkOptions } from './pulled-work.ts';
import {
  reassign,
  requestQueueOf,
  type HeirSets,
  type RequestQueue,
  type RequestQueueOptions,
} from './request-queue.ts';
import type { QueuedRequest } from '../reconcile/queued-request.ts';
import type { Reconcile } from '../reconcile/reconcile.ts';
import type { IdentifiedRequest, RequestIdentity } from '../reconcile/request.ts';
import { ClusterShares } from './cluster-shares.ts';
import { MovedRequests } from './moved-requests.ts';
import type { ShardGate } from './shard-gate.ts';
import type { RunSettings } from './run-settings.ts';
import type { RequestDaemons } from '../daemons/request-daemons.ts';
import type { RunTracker } from './run-tracker.ts';
import { RunOutcome, type LoopSources, type Work } from './run-outcome.ts';

type QueueOfLoop<Q extends object> = Omit<RequestQueueOptions<Q>, 'left'>;

export interface ReconcileLoopOptions<Q extends object> extends QueueOfLoop<Q> {
  readonly settings: RunSettings;
  /** `undefined` for a controller whose requests loops of the user take. */
  readonly reconcile: Reconcile<Q> | undefined;
  readonly dependencies: RunDependencies;
  /** Decides which requests run in this replica; `undefined` without sharding. */
  readonly shards: ShardGate | undefined;
  /** True if the requests carry clusters, which share the workers. */
  readonly spansClusters: boolean;
  /** Shared by the controllers of a manager. */
  readonly slice: SharedSlice;
  readonly callScope: CallScope;
  readonly identify: RequestIdentity<Q>;
  /** Keeps the latest runs for `explain`; `undefined` if the controller keeps none. */
  readonly history: History | undefined;
  /** The ends of the runs that outlive earlier controllers of the name, by the keys of their requests. */
  readonly earlierRuns: ReadonlyMap<string, Promise<void>>;
  readonly tracker: RunTracker<Q>;
  readonly daemons: RequestDaemons<Q>;
}

/** A request that a worker has taken, and its run. */
interface RunningWork<Q extends object> {
  readonly work: Work<Q>;
  readonly run: ReconcileRun;
  /** The slot of the run in the loop. */
  slot: number;
}

type RunResult<Q extends object> =
  | ReturnType<Reconcile<Q>>
  | ReturnType<PulledLoops<Q>['reconcile']>;

/** The levels at which a logger writes the line of a run. One without a level decides itself. */
const debugLevels: ReadonlySet<string> = new Set(['debug', 'trace']);

/** The sources of a loop before `connect`: no object exists, and no source queues a request again. */
const noSources: LoopSources<never> = {
  exists: () => false,
  repeatsOf: () => undefined,
  isOwn: () => false,
  repeated: () => [],
  iterables: { all: new Set(), left: () => undefined, pending: () => new Map() },
};

/**
 * The queue of one controller and the pool of its running reconciles. A request runs at most once at a time, and the
 * slot of a run is free only when the run has ended.
 */
export class ReconcileLoop<Q extends object> {
  /** The current numbers of the controller. */
  readonly reading: ControllerReading;
  readonly #options: ReconcileLoopOptions<Q>;
  readonly #requests: RequestQueue<Q>;
  readonly #pool: PQueue;
  #settings: RunSettings;
  readonly #outcome: RunOutcome<Q>;
  #sources: LoopSources<Q> = noSources;
  /** `undefined` if the readiness of the controller does not depend on its first pass. */
  #firstPass: CountedPass | undefined;
  /** The runs of earlier controllers that may not have ended. */
  readonly #earlierRuns: ReadonlyMap<string, Promise<void>>;
  /** The loops of a pulled controller. */
  readonly #loops: PulledLoops<Q> | undefined;
  readonly #reconcile: (request: Q, run: ReconcileRun) => RunResult<Q>;
  /** Why requests leave the queue; `undefined` while workers take them. */
  #purgeReason: PurgeReason | undefined;
  readonly #running = new RunSlots<RunningWork<Q>>();
  /** True while the controller is paused: workers take no request. */
  #isPaused = false;
  /** The keys of the paused requests. */
  readonly #paused = new Set<string>();
  /** `undefined` unless the requests carry clusters. */
  readonly #shares: ClusterShares<Q> | undefined;
  readonly #moved: MovedRequests | undefined;
  /** The withdrawn causes, whose later events are ignored. */
  readonly #withdrawn = new WeakSet<CauseSet>();
  /**
   * The causes whose requests leave the queue before its next use, and at the latest in a microtask. Those of one turn
   * of the event loop are collected, because each withdrawal visits every request. `undefined` without any.
   */
  #leaving: Set<CauseSet> | undefined;
  /** Takes work in the async context of the controller, not in that of the code that added the request. */
  readonly #pump: () => void;
  #stopListening: (() => void) | undefined;
  /** Resolves when a stop has aborted the running reconciles. */
  readonly #aborted = Promise.withResolvers<void>();

  constructor(options: ReconcileLoopOptions<Q>) {
    this.#options = options;
    this.#pump = options.userCode.bound(this.#takeWork);
    this.#settings = options.settings;
    this.#earlierRuns = options.earlierRuns;
    this.#moved = options.shards && new MovedRequests(options.shards);
    const left = (key: unknown): void => {
      const { iterables } = this.#sources;
      if (iterables.all.size > 0) iterables.left(key as string);
      this.#moved?.left(key as string);
      if (this.#purgeReason !== undefined) this.#recordPurge(key as string, this.#purgeReason);
    };
    this.#requests = requestQueueOf({ ...options, left });
    const settleQueue = (): void => this.#dropLeaving();
    this.#outcome = new RunOutcome({ ...options, queue: this.#requests, settleQueue }, noSources);
    const loops = new PulledLoops<Q>(this.#pump);
    this.#loops = options.reconcile === undefined ? loops : undefined;
    this.#reconcile = countedReconcile(options, options.reconcile ?? loops.reconcile);
    const concurrency = this.#loops === undefined ? options.settings.concurrency : Infinity;
    this.#pool = new PQueue({ concurrency });
    if (options.spansClusters && this.#loops === undefined) this.#shares = new ClusterShares();
    for (const [key, ended] of options.earlierRuns) void ended.then(() => this.#resumeQueued(key));
    this.#pool.addEventListener('next', this.#pump);
    this.reading = this.#numbers();
    options.observer.attach(this.reading);
  }

  /** Connects the loop with the sources of the controller and its first pass, which are created after the loop. */
  connect(sources: LoopSources<Q>, firstPass: CountedPass | undefined): void {
    this.#sources = sources;
    this.#firstPass = firstPass;
    this.#outcome.connect(sources);
  }

  /** The queue without the requests of withdrawn causes. The path of an event checks `#leaving` itself. */
  get #queue(): RequestQueue<Q> {
    if (this.#leaving !== undefined) this.#dropLeaving();
    return this.#requests;
  }

  /** The number of requests that are due and do not run, also suspended ones. */
  get length(): number {
    return this.#queue.length;
  }

  /** The numbers of the loop as of each read. */
  #numbers(): ControllerReading {
    const [queue, running] = [this.#queue, this.#running];
    const { daemons, tracker, history } = this.#options;
    const concurrency = (): number => this.#loops?.open ?? this.#settings.concurrency;
    return {
      get concurrency() {
        return concurrency();
      },
      get running() {
        return running.size;
      },
      depths: () => queue.depths(),
      pending: () => this.#sources.iterables.pending(),
      unfinishedMs: () => queue.unfinishedMs(),
      longestRunningMs: () => queue.longestRunningMs(),
      initialRequests: () => this.#firstPass?.left(),
      historyBytes: () => history?.bytes,
      daemons: () => daemons.size,
      tracked: () => tracker.size,
    };
  }

  /** True while the controller, or the request of this key, is paused. */
  isPaused(key?: string): boolean {
    return key === undefined ? this.#isPaused : this.#paused.has(key);
  }

  /** The number of paused requests. */
  get pausedRequests(): number {
    return this.#paused.size;
  }

  /** Lets no run begin, of the request of this key or of any, until `resume`. Running reconciles end as usual. */
  pause(key?: string): void {
    if (key === undefined) this.#isPaused = true;
    else this.#paused.add(key);
  }

  /** Ends the effect of `pause` with the same argument. */
  resume(key?: string): void {
    if (key === undefined) {
      this.#isPaused = false;
      this.#pump();
    } else if (this.#paused.delete(key)) {
      this.#resumeQueued(key);
    }
  }

  /** The running reconciles, longest first: their keys, and the readings of the clock at which they began. */
  readonly runTimes = (): readonly (readonly [key: string, startedAt: number])[] =>
    Array.from(this.#running, ({ work }) => work)
      .toSorted((a, b) => a.startedAt - b.startedAt)
      .map(({ item, startedAt }) => [item.key, startedAt] as const);

  /** The place of a request in the queue, for `explain`. */
  stateOf(key: string): {
    readonly isPaused: boolean;
    /** True if it is due, and its cluster already has its share of the workers. */
    readonly waitsForCluster: boolean;
    /** True if it is due, and a run of an earlier controller of the name has it. */
    readonly waitsForEarlierRun: boolean;
    readonly item: ItemState | undefined;
    readonly isBackingOff: boolean;
    readonly intervalEnd: number | undefined;
  } {
    const named = { key } as QueuedRequest<Q>;
    const item = this.#queue.stateOf(named);
    const isSuspended = item?.queued?.isSuspended === true;
    return {
      item,
      isBackingOff: this.#queue.isBackingOff(named),
      intervalEnd: this.#outcome.intervalEnd(key),
      isPaused: this.#paused.has(key),
      waitsForCluster: isSuspended && this.#shares?.waits(key) === true,
      waitsForEarlierRun: isSuspended && this.#earlierRuns.has(key),
    };
  }

  /** True if the request of this key is queued or runs. */
  readonly holds = (key: string): boolean => this.#queue.has({ key } as QueuedRequest<Q>);

  /** Uses other settings. `Reconfiguration` describes when each of them takes effect. */
  configure(settings: RunSettings, limits: LimitOptions | undefined): void {
    const { ageAfter } = this.#settings;
    if (settings.ageAfter !== ageAfter) this.#queue.ageAfter = settings.ageAfter;
    this.#settings = settings;
    this.#outcome.configure(settings);
    if (limits !== undefined) this.#queue.limitRetries(limits);
    if (this.#loops === undefined) this.#pool.concurrency = settings.concurrency;
    this.#pump();
  }

  /** Passes the requests of these causes to the causes that replace them, and drops those without any. */
  reassign(from: ReadonlySet<CauseSet>, heirsOf: HeirSets<Q>): void {
    this.#outcome.reassign((request, source) =>
      from.has(source) ? heirsOf(request, source)[0] : source,
    );
    this.#purge('watch-removed', () => reassign(this.#queue, from, heirsOf));
    this.#options.daemons.sweep();
  }

  /** The key of a request. Throws `INVALID_OPTION` for an invalid one. */
  keyOf(request: Q): string {
    return this.#options.identify(request).key;
  }

  /**
   * Queues a request, whose key is `known` if it is that of an object in the cache. Returns its key; `undefined` if its
   * source was withdrawn, or if another replica owns its slot.
   */
  add(
    request: Q,
    options: AddOptions<QueuedCause>,
    receivedAt?: number,
    known?: string,
  ): string | undefined {
    const { key, request: exact } =
      known === undefined ? this.#options.identify(request) : { key: known, request };
    const { cause } = options;
    if (cause !== undefined && this.#withdrawn.has(cause.source)) return undefined;
    // Before `admits`: a request of the same key that leaves the queue ends the wait that `admits` records.
    if (this.#leaving !== undefined) this.#dropLeaving();
    if (this.#moved?.admits(exact, key, cause?.reason) === false) return undefined;
    this.#requests.add({ key, request: exact, receivedAt }, options);
    return key;
  }

  /** Lets the next add of a request run before the end of its backoff. */
  allowEarlyRun(key: string): void {
    this.#queue.allowEarlyRun({ key } as QueuedRequest<Q>);
  }

  /** Resets the failures of a request whose object is gone. */
  forget(request: Q): void {
    const identified = this.#options.identify(request);
    this.#outcome.gone(identified.key);
    if (this.#options.daemons.isUsed) this.#options.daemons.gone(identified.key);
    this.#requests.forget({ ...identified, receivedAt: undefined });
  }

  /** Lets the requests run that waited until this replica owned their slots. Returns their keys. */
  startMoved(): ReadonlySet<string> {
    const started = this.#moved?.end('here') ?? new Set();
    for (const key of started) this.#resumeQueued(key);
    return started;
  }

  /** Drops the requests that wait for slots that another replica runs. */
  dropMoved(): void {
    const moved = this.#moved?.end('elsewhere');
    if (moved === undefined || moved.size === 0) return;
    this.#purge('other-shard', () => this.#queue.purge(({ key }) => moved.has(key)));
  }

  /**
   * Drops the requests of slots that another replica takes over, and forgets their failures. Returns the ends of the
   * running reconciles of these slots.
   */
  leaveSlots(slots: ReadonlySet<number>): [slot: number, ended: Promise<void>][] {
    const { shards, daemons } = this.#options;
    if (shards === undefined) return [];
    const slotOf = ({ request, key }: IdentifiedRequest<Q>): number => shards.slotOf(request, key);
    const leaves = (request: IdentifiedRequest<Q>): boolean => slots.has(slotOf(request));
    this.#purge('other-shard', () => this.#queue.purge(leaves));
    this.#outcome.reassign((request, source) => (leaves(request) ? undefined : source));
    const daemonEnds = daemons.leave((request, key) => leaves({ request, key }));
    const runEnds = Array.from(
      this.#running,
      ({ work: { item }, run }) => [item, run.ended()] as const,
    );
    return [
      ...runEnds.filter(([item]) => leaves(item)),
      ...daemonEnds.map(([request, key, ended]) => [{ request, key }, ended] as const),
    ].map(([identified, ended]) => [slotOf(identified), ended]);
  }

  /** A loop over the requests of a pulled controller. Throws `NOT_PULLED` for another one. */
  work(options?: WorkOptions): AsyncGenerator<PulledWork<Q>, void, undefined> {
    const { controller } = this.#options;
    if (this.#loops === undefined) throw new ManagerError('NOT_PULLED', { controller });
    return this.#loops.loop(options);
  }

  /** Starts the workers. */
  start(): void {
    this.#outcome.start();
    this.#stopListening ??= this.#queue.onAvailable(this.#pump);
  }

  /** Drops the requests that only these causes queued, before the next use of the queue. */
  withdraw(causes: ReadonlySet<CauseSet>): void {
    for (const one of causes) this.#withdrawn.add(one);
    this.#leave(causes);
  }

  #leave(causes: ReadonlySet<CauseSet>): void {
    if (this.#leaving === undefined) {
      this.#leaving = new Set();
      queueMicrotask(() => this.#dropLeaving());
    }
    for (const one of causes) this.#leaving.add(one);
  }

  #dropLeaving(): void {
    const causes = this.#leaving;
    if (causes === undefined) return;
    this.#leaving = undefined;
    this.#outcome.withdraw(causes);
    this.#purge('watch-removed', () => {
      this.#requests.withdraw((source) => causes.has(source));
    });
    this.#options.daemons.sweep();
  }

  /**
   * Resolves when each running reconcile of these causes has ended, was aborted, or waits in a barrier itself. A
   * run does not wait for itself.
   */
  async endOfRunsFor(causes: ReadonlySet<CauseSet>): Promise<void> {
    if (this.#running.size === 0) return;
    const own = this.#options.callScope.current;
    // A held item keeps its withdrawn sources, so that the withdrawals need not be applied.
    const works = new Set(this.#requests.processingFor((source) => causes.has(source)));
    const ends = Array.from(this.#running, async ({ work, run }) => {
      if (works.has(work) && run !== own) await run.endedOrAborted();
    });
    await Promise.all(ends);
  }

  /** The keys of the running reconciles, each with its end. */
  runs(): [key: string, ended: Promise<void>][] {
    return Array.from(this.#running, ({ work, run }) => [work.item.key, run.ended()]);
  }

  /** Resolves when every running reconcile has ended, and every daemon. Daemons end only when the loop stops. */
  async idle(): Promise<void> {
    const runs = Array.from(this.#running, ({ run }) => run.ended());
    await Promise.all([...runs, this.#options.daemons.idle()]);
  }

  /** True if the caller is part of a running reconcile of this loop. */
  get runsCaller(): boolean {
    const own = this.#options.callScope.current;
    return [...this.#running].some(({ run }) => run === own);
  }

  /** Resolves when every running reconcile has ended or waits in a barrier, as the run of the caller does. */
  async endedOrWaiting(): Promise<void> {
    await Promise.all(Array.from(this.#running, ({ run }) => run.endedOrWaiting()));
  }

  /**
   * Stops the workers and drops the queue. Running reconciles may finish; after `grace` milliseconds their signals
   * abort. Daemons end at once. Resolves when all of them have ended.
   */
  async stop(grace: number): Promise<void> {
    const daemonsEnd = this.#options.daemons.close();
    this.#stopListening?.();
    this.#purge('stopped', () => void this.#queue.shutDown());
    this.#outcome.close();
    this.#loops?.close();
    const runs = Array.from(this.#running, ({ run }) => run);
    if (runs.length === 0) return daemonsEnd;
    const ended = Promise.all(runs.map((run) => run.ended()));
    const over = Promise.race([ended, this.#aborted.promise]);
    if (grace === 0 || !(await endsWithin(over, grace))) this.#abort(runs);
    await Promise.all([ended, daemonsEnd]);
  }

  /** Drops requests from the queue, and records the reason for `explain`. */
  #purge(reason: PurgeReason, drop: () => void): void {
    this.#dropLeaving();
    this.#purgeReason = reason;
    try {
      drop();
    } finally {
      this.#purgeReason = undefined;
    }
  }

  #recordPurge(key: string, reason: PurgeReason): void {
    this.#options.history?.purged(key, reason, performance.now());
  }

  #abort(runs: readonly ReconcileRun[]): void {
    const { controller, userCode } = this.#options;
    const reason = new ManagerError('STOPPING', { controller });
    for (const run of runs) userCode.call(() => run.abort(reason));
    this.#aborted.resolve();
  }

  readonly #takeWork = (): void => {
    const queue = this.#requests;
    while (this.#stopListening !== undefined && !this.#isPaused) {
      // Also after each run that begins, because its first step may remove a watch.
      if (this.#leaving !== undefined) this.#dropLeaving();
      const isBusy =
        this.#loops === undefined
          ? this.#pool.pending >= this.#pool.concurrency
          : this.#loops.waiting === 0;
      if (isBusy || queue.length === 0) return;
      if (!this.#options.slice.hasTime(this.#pump)) return;
      // A run that began in this loop may have paused a request.
      const mayRefuse =
        this.#shares !== undefined ||
        this.#paused.size > 0 ||
        this.#earlierRuns.size > 0 ||
        (this.#moved !== undefined && this.#moved.size > 0);
      const work = queue.take(mayRefuse ? this.#suspends : undefined);
      // The pool is not full, so the run begins in this call.
      if (work !== undefined) void this.#pool.add(() => this.#process(work));
      else if (!this.#releaseShares()) return;
    }
  };

  /**
   * True if a request must not run yet: it is paused, an earlier controller still runs it, its slot is moving, or its
   * cluster uses its full share of the workers. The queue keeps the request with its sources, priority and
   * times. Otherwise the run begins.
   */
  readonly #suspends = (item: QueuedRequest<Q>): boolean => {
    const { key } = item;
    if (this.#paused.has(key) || this.#earlierRuns.has(key) || this.#moved?.waits(key) === true)
      return true;
    return this.#shares?.begins(item, this.#settings.concurrency) === false;
  };

  async #process(work: Work<Q>): Promise<void> {
    const { callScope, dependencies, history, observer, userCode } = this.#options;
    const { request, key } = work.item;
    if (this.#moved?.runsHere(request, key) === false) {
      this.#recordPurge(key, 'other-shard');
      this.#queue.done(work.item);
      this.#endShare(request);
      return;
    }
    const running = this.#begin(work);
    const { run } = running;
    const { clock } = this.#options.dependencies;
    const startedAt = clock.monotonic();
    let result: ReconcileResult = 'error';
    let isComplete = false;
    const stopTimer =
      this.#settings.timeout === 0 ? undefined : this.#startTimeout(run, work.item.key);
    try {
      const outcome = await userCode.timed(run, callScope.run, run, this.#reconcile, request, run);
      result = await this.#outcome.ended(work, run, outcome);
      isComplete = result !== 'requeue';
    } catch (error) {
      run.error = error;
      result = await this.#outcome.failed(work, run, error);
    } finally {
      stopTimer?.();
      const { daemons, tracker } = this.#options;
      if (tracker.isUsed) tracker.ended(work.item.key, run.tracking, isComplete);
      if (daemons.isUsed) daemons.ended(work.item.key, run.ownDaemons, isComplete);
      this.#requests.done(work.item);
      this.#running.remove(running.slot);
      if (this.#shares !== undefined) this.#endShare(request);
      this.#firstPass?.ended(work.item.key);
      const duration = clock.monotonic() - startedAt;
      observer.reconcileEnded(result, duration);
      run.end(result);
      const { level } = dependencies.log;
      if (level === undefined || debugLevels.has(level)) {
        this.#logRun(work, run, { result, duration });
      }
      if (run.record !== undefined) history?.ended(work.item.key, run.record, duration);
    }
  }

  /** Ends the share of a run in the workers of its cluster. Another request may run instead. */
  #endShare(request: Q): void {
    if (this.#shares === undefined) return;
    this.#shares.ended(request);
    this.#releaseShares();
  }

  /** Resumes the requests whose clusters may run another one. Returns false if it resumed nothing. */
  #releaseShares(): boolean {
    return this.#shares?.release(this.#settings.concurrency, this.#resumeQueued) === true;
  }

  /** Lets workers take a suspended request again, if it may run then. Returns false for one that is not suspended. */
  readonly #resumeQueued = (key: string): boolean =>
    this.#queue.resume({ key } as QueuedRequest<Q>);

  #begin(work: Work<Q>): RunningWork<Q> {
    const { key, request, receivedAt } = work.item;
    const { dependencies, history, tracker, daemons } = this.#options;
    const attempt = work.failures + 1;
    const { timeout } = this.#settings;
    const record = history?.began(key, attempt, work);
    const facts = {
      request,
      attempt,
      work,
      timeout,
      record,
      key,
      tracker,
      daemons,
      queue: this.#requests,
    };
    const running = { work, run: new ReconcileRun(dependencies, facts), slot: 0 };
    running.slot = this.#running.add(running);
    if (this.#settings.maxReconcileInterval > 0) this.#outcome.begun(work);
    const waited =
      receivedAt === undefined ? undefined : dependencies.clock.monotonic() - receivedAt;
    this.#options.observer.reconcileStarted(waited);
    return running;
  }

  /** Writes the line of a run, in milliseconds. */
  #logRun(
    { item, priority, queuedMs }: Work<Q>,
    run: ReconcileRun,
    { result, duration }: { readonly result: ReconcileResult; readonly duration: number },
  ): void {
    const { attempt, causes } = run;
    const { queued } = this.#requests.stateOf(item) ?? {};
    const nextRun =
      queued && Math.max(0, Math.round(queued.at - this.#options.dependencies.clock.monotonic()));
    const facts = { attempt, priority, queuedMs, causes, result, duration, nextRun };
    run.log.debug(facts, 'reconciled');
  }

  #startTimeout(run: ReconcileRun, key: string): () => void {
    const { controller, dependencies, observer, userCode } = this.#options;
    const { timeout } = this.#settings;
    return dependencies.clock.startTimer(timeout, () => {
      observer.timedOut();
      run.log.warn({ timeout, attempt: run.attempt }, 'reconcile exceeded its timeout');
      const facts = { controller, request: key, timeout };
      userCode.call(() => run.abort(new ManagerError('RECONCILE_TIMEOUT', facts)));
    });
  }
}

/** Returns a reconcile whose end a virtual clock waits for. For other clocks it is unchanged. */
function countedReconcile<Q extends object>(
  { controller, dependencies }: ReconcileLoopOptions<Q>,
  reconcile: (request: Q, run: ReconcileRun) => RunResult<Q>,
): (request: Q, run: ReconcileRun) => RunResult<Q> {
  const { activity } = dependencies.clock;
  if (activity === undefined) return reconcile;
  return (request, run) =>
    activity.run(`${controller} reconciles ${run.key}`, async () => await reconcile(request, run));
}
