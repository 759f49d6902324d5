import PQueue from 'p-queue';
import { WorkQueue, type AddOptions, type WorkItem } from '@keelson/workqueue';
import type { Cause, CauseSet } from './cause.ts';
import type { ControllerSettings } from './controller-options.ts';
import type {
  ControllerObserver,
  ControllerReading,
  ReconcileResult,
} from './controller-observer.ts';
import { ManagerError } from './manager-error.ts';
import type { OwnWork } from './own-work.ts';
import { isPanic } from './panic.ts';
import { ReconcileRun, type RunSurroundings } from './reconcile-run.ts';
import { decide, type Decision, type Reconcile } from './reconcile.ts';
import { requestKey } from './request.ts';
import { isTerminal } from './terminal-error.ts';
import { endsWithin, startTimer } from './timer.ts';
import type { Turn } from './turn.ts';

export interface ReconcileLoopOptions<Q extends object> {
  readonly controller: string;
  readonly reconcile: Reconcile<Q>;
  readonly settings: ControllerSettings;
  readonly surroundings: RunSurroundings;
  readonly observer: ControllerObserver;
  /** Shared by the controllers of a manager. */
  readonly turn: Turn;
  readonly ownWork: OwnWork;
  /** The causes of what the controller asks of itself. */
  readonly own: CauseSet;
  /** False for a cause whose source is gone. */
  readonly stands: (cause: Cause) => boolean;
}

/** A request in the queue. An entry keeps the item it was first added with. */
interface QueuedRequest<Q> {
  readonly key: string;
  readonly request: Q;
  readonly receivedAt: number | undefined;
}

type Work<Q> = WorkItem<QueuedRequest<Q>, Cause>;

/**
 * Hops 8 to 10: the queue of one controller and the pool of its running reconciles. A request runs
 * at most once at a time, and its slot is free only when the run has really ended.
 */
export class ReconcileLoop<Q extends object> implements ControllerReading {
  readonly #options: ReconcileLoopOptions<Q>;
  readonly #queue: WorkQueue<QueuedRequest<Q>, Cause>;
  readonly #pool: PQueue;
  readonly #running = new Map<ReconcileRun, Work<Q>>();
  readonly #pump = (): void => this.#takeWork();
  #stopListening: (() => void) | undefined;

  constructor(options: ReconcileLoopOptions<Q>) {
    this.#options = options;
    this.#queue = new WorkQueue({
      name: options.controller,
      keyOf: (item) => item.key,
      backoff: options.settings.backoff,
      observer: options.observer.queue,
    });
    this.#pool = new PQueue({ concurrency: options.settings.concurrency });
    this.#pool.addEventListener('next', this.#pump);
    options.observer.attach(this);
  }

  /** Ready requests. */
  get length(): number {
    return this.#queue.length;
  }

  get running(): number {
    return this.#running.size;
  }

  get concurrency(): number {
    return this.#options.settings.concurrency;
  }

  depths(): ReadonlyMap<number, number> {
    return this.#queue.depths();
  }

  unfinishedMs(): number {
    return this.#queue.unfinishedMs();
  }

  longestRunningMs(): number {
    return this.#queue.longestRunningMs();
  }

  add(request: Q, options: AddOptions<Cause>, receivedAt?: number): void {
    this.#queue.add({ key: requestKey(request), request, receivedAt }, options);
  }

  /** The failures of the request count no more. */
  forget(request: Q): void {
    this.#queue.forget({ key: requestKey(request), request, receivedAt: undefined });
  }

  /** Workers take requests from now on. */
  start(): void {
    this.#stopListening ??= this.#queue.onAvailable(this.#pump);
  }

  /** Requests that nothing but these causes asked for are dropped. Returns how many. */
  withdraw(causes: CauseSet): number {
    return this.#queue.withdraw((cause) => causes.has(cause));
  }

  /**
   * Resolves when the running reconciles that these causes asked for have ended or their deadline
   * has passed. A run does not wait for itself.
   */
  async endOfRunsFor(causes: CauseSet): Promise<void> {
    const runs = this.#others().filter((run) => run.causes.some((cause) => causes.has(cause)));
    await Promise.all(runs.map((run) => run.endedOrAborted()));
  }

  /** True for code that is part of a running reconcile of this loop. */
  get runsCaller(): boolean {
    return this.#others().length < this.#running.size;
  }

  /** Resolves when the running reconciles have ended, except the caller's own. */
  async endOfOthers(): Promise<void> {
    await Promise.all(this.#others().map((run) => run.ended()));
  }

  /**
   * Takes no more work and drops what is queued. The running reconciles may finish; after `grace`
   * milliseconds their signals abort. Resolves when all have ended.
   */
  async stop(grace: number): Promise<void> {
    this.#stopListening?.();
    void this.#queue.shutDown();
    const runs = [...this.#running.keys()];
    if (runs.length === 0) return;
    const ended = Promise.all(runs.map((run) => run.ended()));
    if (grace === 0 || !(await endsWithin(ended, grace))) this.#abort(runs);
    await ended;
  }

  #abort(runs: readonly ReconcileRun[]): void {
    const reason = new ManagerError('STOPPING', { controller: this.#options.controller });
    for (const run of runs) run.abort(reason);
  }

  /** The running reconciles without the one that asks. */
  #others(): ReconcileRun[] {
    const own = this.#options.ownWork.current;
    return [...this.#running.keys()].filter((run) => run !== own);
  }

  #takeWork(): void {
    while (this.#stopListening !== undefined && this.#pool.pending < this.concurrency) {
      if (this.#queue.length === 0 || !this.#options.turn.hasTime(this.#pump)) return;
      const work = this.#queue.take();
      if (work === undefined) return;
      void this.#pool.add(() => this.#process(work));
    }
  }

  async #process(work: Work<Q>): Promise<void> {
    const { observer } = this.#options;
    const run = this.#begin(work);
    const startedAt = performance.now();
    let result: ReconcileResult = 'error';
    const stopTimer = this.#startTimeout(run);
    try {
      const { reconcile, ownWork } = this.#options;
      const outcome = await ownWork.run(run, reconcile, work.item.request, run);
      const decision = decide(outcome);
      result = decision.kind;
      this.#continue(work, decision);
    } catch (error) {
      this.#fail(work, run, error);
    } finally {
      stopTimer?.();
      this.#queue.done(work.item);
      this.#running.delete(run);
      observer.reconcileEnded(result, performance.now() - startedAt);
      run.end();
    }
  }

  #begin(work: Work<Q>): ReconcileRun {
    const { request, receivedAt } = work.item;
    const attempt = this.#queue.failures(work.item) + 1;
    const { causes, priority } = work;
    const run = new ReconcileRun(this.#options.surroundings, {
      request,
      attempt,
      causes,
      priority,
    });
    this.#running.set(run, work);
    const waited = receivedAt === undefined ? undefined : performance.now() - receivedAt;
    this.#options.observer.reconcileStarted(waited);
    return run;
  }

  #startTimeout(run: ReconcileRun): (() => void) | undefined {
    const { controller, observer } = this.#options;
    const { timeout } = this.#options.settings;
    if (timeout === 0) return undefined;
    return startTimer(timeout, () => {
      observer.timedOut();
      run.abort(new ManagerError('RECONCILE_TIMEOUT', { controller, timeout }));
    });
  }

  #continue(work: Work<Q>, decision: Decision): void {
    const priority = decision.priority ?? work.priority;
    if (decision.kind === 'requeue') {
      this.#retry(work, priority);
      return;
    }
    this.#queue.forget(work.item);
    if (decision.kind === 'requeue_after' && !this.#queue.isShutDown) {
      const cause = this.#options.own.of('requeue');
      this.#queue.add(again(work.item), { after: decision.after, priority, cause });
    }
  }

  #fail(work: Work<Q>, run: ReconcileRun, error: unknown): void {
    const { observer } = this.#options;
    const terminal = isTerminal(error);
    if (isPanic(error)) observer.panic();
    if (terminal) {
      observer.terminalError();
      this.#queue.forget(work.item);
    } else {
      this.#retry(work, work.priority);
    }
    // What ends because we asked it to is no failure to report.
    if (run.isAborted && this.#queue.isShutDown) return;
    run.log.error({ err: error, attempt: run.attempt, terminal }, 'reconcile failed');
  }

  /** A retry is asked for by whoever asked for the run; if none of them is left, by nobody. */
  #retry(work: Work<Q>, priority: number): void {
    if (this.#queue.isShutDown) return;
    const causes = work.causes.filter((cause) => this.#options.stands(cause));
    if (work.causes.length > 0 && causes.length === 0) this.#queue.forget(work.item);
    else this.#queue.add(again(work.item), { rateLimited: true, priority, causes });
  }
}

/** The next run was not asked for by the event that brought the request in. */
function again<Q>({ key, request }: QueuedRequest<Q>): QueuedRequest<Q> {
  return { key, request, receivedAt: undefined };
}
