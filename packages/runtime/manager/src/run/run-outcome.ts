import type { Clock } from '@keelson/apimachinery';
import type { WorkItem, WorkQueue } from '@keelson/workqueue';
import type { CauseSet, QueuedCause } from '../reconcile/cause.ts';
import { ManagerError } from '../errors.ts';
import { failureDecision, type FailureDecision } from '../reconcile/error-policy.ts';
import { decide, success, type Decision, type Outcome } from '../reconcile/outcome.ts';
import { frozenObjectFacts, isPanic } from '../reconcile/panic.ts';
import { again, type QueuedRequest } from '../reconcile/queued-request.ts';
import type { IdentifiedRequest, RequestIdentity } from '../reconcile/request.ts';
import { isTerminal } from '../reconcile/terminal-error.ts';
import type { CallScope } from '../user-code/call-scope.ts';
import type { UserCode } from '../user-code/user-code.ts';
import type { ControllerObserver, ReconcileResult } from './controller-observer.ts';
import type { RunSettings } from './run-settings.ts';
import type { History } from '../history/history.ts';
import { errorOf, type RunDecision } from '../history/recorded-run.ts';
import { GoneRequests } from './gone-requests.ts';
import { RunIntervals } from './run-intervals.ts';
import type { QueueOptions } from './queue-options.ts';
import type { ReconcileRun } from './reconcile-run.ts';
import { RepeatedFailures } from './repeated-failures.ts';

export type Work<Q extends object> = WorkItem<QueuedRequest<Q>, QueuedCause>;

/** The result of a run that ended early: the request is queued again, neither as a success nor as a failure. */
export const released: unique symbol = Symbol('released');

/** Decides from the sources of a controller whether the request of a run is queued again. */
export interface RequeueRules<Q extends object> {
  /** True if the request names an existing object of the controller's `for`. */
  exists(request: Q): boolean;
  /**
   * Returns the causes of a request that its run queues again; `undefined` if no source needs the request any more.
   * `isWithdrawn` is true if every source of the run is gone.
   */
  repeatsOf(request: Q, isWithdrawn: boolean): CauseSet | undefined;
  /**
   * True if a source may have received a request that no other replica has: it is an iterable, or the controller itself,
   * whose `enqueue` was called.
   */
  isOwn(source: CauseSet): boolean;
  /** The requests of the existing objects of `for`, each with the causes that queue it again. */
  repeated(): Iterable<readonly [request: Q, source: CauseSet]>;
}

/** The sources of a controller, as its loop uses them. */
export interface LoopSources<Q extends object> extends RequeueRules<Q> {
  readonly iterables: LoopIterables;
}

/** The async-iterable sources of a controller, as its loop uses them. */
export interface LoopIterables {
  readonly all: ReadonlySet<unknown>;
  /** The request of this key has left the queue: a worker took it, or it was dropped. */
  left(key: string): void;
  /** The number of requests that wait for a worker, by the name of their source. */
  pending(): ReadonlyMap<string, number>;
}

export interface RunOutcomeOptions<Q extends object> {
  readonly queueOptions: Pick<QueueOptions<Q>, 'errorPolicy' | 'onDeadLetter'>;
  readonly controller: string;
  readonly callScope: CallScope;
  readonly dependencies: { readonly clock: Clock };
  readonly queue: WorkQueue<QueuedRequest<Q>, QueuedCause, CauseSet>;
  /** Applies the withdrawals that wait. Called before a decision that depends on them. */
  readonly settleQueue: () => void;
  readonly observer: ControllerObserver;
  readonly userCode: UserCode;
  readonly identify: RequestIdentity<Q>;
  readonly settings: OutcomeSettings;
  readonly history: History | undefined;
}

type OutcomeSettings = Pick<RunSettings, 'maxAttempts' | 'maxReconcileInterval' | 'priorities'>;

/** How a request is queued again after a failure. */
interface RetryOptions {
  readonly priority: number;
  /** Milliseconds that replace the backoff. */
  readonly backoff?: number | undefined;
}

/** Decides what follows a run: nothing, a later run, a retry, or the end of all retries. */
export class RunOutcome<Q extends object> {
  readonly #options: RunOutcomeOptions<Q>;
  /** The settings in force: a reconfiguration replaces them. */
  #settings: OutcomeSettings;
  #requeue: RequeueRules<Q>;
  readonly #intervals: RunIntervals<Q>;
  readonly #failures: RepeatedFailures;
  /** `undefined` once the workers have started. */
  #goneRequests: GoneRequests | undefined;

  constructor(options: RunOutcomeOptions<Q>, requeue: RequeueRules<Q>) {
    this.#options = options;
    this.#settings = options.settings;
    this.#requeue = requeue;
    const { clock } = options.dependencies;
    this.#failures = new RepeatedFailures(clock);
    this.#goneRequests = new GoneRequests((isOld) => this.#purge(isOld), clock);
    this.#intervals = new RunIntervals({
      clock,
      onDue: (request, source) => this.#runAfterInterval(request, source),
      inContext: (act) => options.userCode.inContext(act),
    });
    this.#intervals.replace(options.settings.maxReconcileInterval);
  }

  /** Connects the outcome with the sources of the controller, which are created after the loop. */
  connect(requeue: RequeueRules<Q>): void {
    this.#requeue = requeue;
  }

  /** Applies changed settings. If the interval changes, an object without a scheduled run gets one. */
  configure(settings: OutcomeSettings): void {
    this.#settings = settings;
    const { maxReconcileInterval: interval } = settings;
    if (interval === this.#intervals.interval) return;
    this.#intervals.replace(interval);
    for (const [request, source] of interval === 0 ? [] : this.#requeue.repeated()) {
      const identified = this.#options.identify(request);
      if (!this.#intervals.has(identified.key)) this.#intervals.schedule(identified, source);
    }
  }

  /** The workers have started. */
  start(): void {
    this.#goneRequests = undefined;
  }

  /** The reading of the controller's clock at which the interval of a request ends; `undefined` without one. */
  intervalEnd(key: string): number | undefined {
    return this.#intervals.endOf(key);
  }

  /** Cancels the interval of an object whose run has begun. */
  begun({ item }: Work<Q>): void {
    this.#intervals.cancel(item.key);
  }

  /** Cancels the interval of a request whose object was deleted. */
  gone(key: string): void {
    this.#intervals.cancel(key);
    this.#goneRequests?.add(key);
  }

  /** Cancels the intervals of these causes. */
  withdraw(causes: ReadonlySet<CauseSet>): void {
    this.#intervals.withdraw(causes);
  }

  /** Passes the intervals of these causes to the causes that replace them, and cancels those without any. */
  reassign(
    heirOf: (request: IdentifiedRequest<Q>, source: CauseSet) => CauseSet | undefined,
  ): void {
    this.#intervals.reassign(heirOf);
  }

  /** Cancels all intervals. */
  close(): void {
    this.#intervals.close();
  }

  /** Decides what follows a run that returned. An invalid result is reported, and the run counts as a success. */
  async ended(
    work: Work<Q>,
    run: ReconcileRun,
    outcome: Outcome | void | typeof released,
  ): Promise<ReconcileResult> {
    const { dependencies, queue } = this.#options;
    if (outcome === released) {
      decided(run, 'released');
      this.#queueAgain(work, run, {});
      return 'requeue';
    }
    if (run.attempt > 1) this.#failures.succeeded(work.item.key);
    const decision = outcome === undefined ? success : this.#decide(run, outcome);
    const { kind, after, priority = work.priority } = decision;
    if (kind === 'requeue') {
      await this.#retry(work, run, { priority });
    } else {
      if (run.record !== undefined) run.record.decision = kind === 'success' ? 'done' : 'requeue';
      this.#settle(work);
      const repeats = kind === 'requeue_after' ? this.#repeatsOf(work) : undefined;
      if (repeats !== undefined && !queue.isShutDown) {
        if (run.record !== undefined) run.record.nextAt = dependencies.clock.monotonic() + after;
        queue.add(again(work.item), { after, priority, cause: repeats.by.requeue });
      }
    }
    return kind;
  }

  /** Decides what follows a run that threw. Returns `success` for an error that the error policy ignores. */
  async failed(work: Work<Q>, run: ReconcileRun, error: unknown): Promise<ReconcileResult> {
    const { observer, queue } = this.#options;
    const { kind, after } = this.#decideFailure(work, run, error);
    const { attempt, isAborted, log } = run;
    if (run.record !== undefined) run.record.error = errorOf(error);
    if (isPanic(error)) observer.panic();
    if (kind === 'ignore') {
      decided(run, 'ignored');
      log.debug({ err: error, attempt }, 'error of reconcile ignored');
      this.#settle(work);
      return 'success';
    }
    const terminal = kind === 'terminal';
    // After the abort of a stop an error is expected, so it is not logged.
    const isLast = terminal || this.#isLast(work, run);
    const repeated = this.#failures.count(work.item.key, error, isLast);
    if (repeated !== undefined && (!isAborted || !queue.isShutDown)) {
      const facts = { err: error, attempt, terminal, ...repeated, ...frozenObjectFacts(error) };
      log.error(facts, 'reconcile failed');
    }
    if (terminal) {
      observer.terminalError();
      await this.#giveUp(work, run, error);
    } else {
      await this.#retry(work, run, { priority: work.priority, error, backoff: after });
    }
    return 'error';
  }

  /** The decision of the error policy, else the default. After a stop nothing follows, so the policy is not called. */
  #decideFailure(work: Work<Q>, run: ReconcileRun, error: unknown): FailureDecision {
    const { callScope, observer, queue, userCode } = this.#options;
    const { errorPolicy } = this.#options.queueOptions;
    const usual: FailureDecision = { kind: isTerminal(error) ? 'terminal' : 'retry' };
    if (errorPolicy === undefined || queue.isShutDown) return usual;
    const { request } = work.item;
    try {
      const given = userCode.timed({ role: 'errorPolicy', facts: run.facts }, () =>
        callScope.run(run, errorPolicy, error, request, run),
      );
      return failureDecision(given) ?? usual;
    } catch (failure) {
      observer.queueFunctionFailed();
      run.log.error({ err: failure }, 'errorPolicy failed');
      return usual;
    }
  }

  #decide(run: ReconcileRun, outcome: Outcome): Decision {
    try {
      return decide(outcome);
    } catch (error) {
      this.#options.observer.invalidResult();
      if (run.record !== undefined) run.record.error = errorOf(error);
      run.log.error({ err: error }, 'invalid result of reconcile');
      return success;
    }
  }

  async #retry(
    work: Work<Q>,
    run: ReconcileRun,
    { error, ...add }: RetryOptions & { readonly error?: unknown },
  ): Promise<void> {
    const { controller, queue } = this.#options;
    if (queue.isShutDown) return decided(run, 'stopped');
    if (!this.#isLast(work, run)) {
      decided(run, 'retry');
      return this.#queueAgain(work, run, { rateLimited: true, ...add });
    }
    const facts = { controller, attempts: run.attempt };
    await this.#giveUp(work, run, error ?? new ManagerError('ATTEMPTS_EXHAUSTED', facts));
  }

  /** True if `maxAttempts` permits no retry after a failure of this run. */
  #isLast({ item }: Work<Q>, { attempt }: ReconcileRun): boolean {
    const { maxAttempts } = this.#settings;
    // A failure before the end of a backoff is not a new attempt, so events do not use up attempts.
    return maxAttempts !== 0 && attempt >= maxAttempts && !this.#options.queue.isBackingOff(item);
  }

  /**
   * Queues the request again with the causes of the run. Drops it if every source of them is gone and the object does
   * not exist.
   */
  #queueAgain(
    work: Work<Q>,
    run: ReconcileRun,
    options: Partial<RetryOptions> & { readonly rateLimited?: boolean },
  ): void {
    const { queue } = this.#options;
    if (queue.isShutDown) return;
    const add = { priority: work.priority, ...options };
    const repeats = this.#repeatsOf(work);
    if (repeats !== undefined && this.#requeue.exists(work.item.request)) {
      // An object that exists is retried until it succeeds, whichever watches are removed meanwhile.
      queue.add(again(work.item), { ...add, cause: repeats.by.retry });
      this.#recordRetry(work, run);
    } else if (repeats === undefined || queue.isWithdrawn(work.item)) {
      decided(run, 'dropped');
      queue.forget(work.item);
    } else if (options.rateLimited === true) {
      // A failure keeps the causes of its run.
      queue.add(again(work.item), add);
      this.#recordRetry(work, run);
    } else {
      queue.add(again(work.item), { ...add, cause: repeats.by.requeue });
    }
  }

  /** Records the end of the backoff for `explain`. A request that is released has none. */
  #recordRetry({ item }: Work<Q>, { record }: ReconcileRun): void {
    if (record !== undefined) record.nextAt = this.#options.queue.backoffEnd(item);
  }

  #repeatsOf({ item }: Work<Q>): CauseSet | undefined {
    this.#options.settleQueue();
    return this.#requeue.repeatsOf(item.request, this.#options.queue.isWithdrawn(item));
  }

  /** Forgets the failures of a request that is not retried, and begins the interval to its next run. */
  #settle(work: Work<Q>): void {
    const { queue } = this.#options;
    const { item } = work;
    queue.forget(item);
    if (this.#intervals.interval === 0 || queue.isShutDown) return;
    const source = this.#repeatsOf(work);
    // An object that is gone has no next run.
    if (source !== undefined && this.#requeue.exists(item.request)) {
      this.#intervals.schedule(item, source);
    }
  }

  #runAfterInterval(request: IdentifiedRequest<Q>, source: CauseSet): void {
    const { resync: priority } = this.#settings.priorities;
    const add = { priority, cause: source.by.interval };
    this.#options.queue.add({ ...request, receivedAt: undefined }, add);
    this.#options.history?.queued(request.key, add, undefined, performance.now());
  }

  /**
   * Purges requests whose objects were deleted and do not exist again. Those of a source that only this replica may have
   * read stay: no leader has them.
   */
  #purge(isOld: (key: string) => boolean): void {
    const { history, queue } = this.#options;
    queue.purge(({ key, request }, sources) => {
      const isGone =
        isOld(key) &&
        !this.#requeue.exists(request) &&
        ![...sources].some((source) => this.#requeue.isOwn(source));
      if (isGone) history?.purged(key, 'object-gone', performance.now());
      return isGone;
    });
  }

  /** Drops the request until its next event, and calls `onDeadLetter`. */
  async #giveUp(work: Work<Q>, run: ReconcileRun, error: unknown): Promise<void> {
    const { callScope, observer, userCode } = this.#options;
    const { onDeadLetter } = this.#options.queueOptions;
    decided(run, 'dead-letter');
    this.#settle(work);
    observer.deadLetter();
    if (onDeadLetter === undefined) return;
    try {
      const { request } = work.item;
      // Called as part of the run, so that a stop or removal that it awaits does not wait for the run.
      await userCode.timed({ role: 'onDeadLetter', facts: run.facts }, () =>
        callScope.run(run, onDeadLetter, request, error, run),
      );
    } catch (failure) {
      observer.queueFunctionFailed();
      run.log.error({ err: failure }, 'onDeadLetter failed');
    }
  }
}

/** Records the decision for `explain`. */
function decided({ record }: ReconcileRun, decision: RunDecision): void {
  if (record !== undefined) record.decision = decision;
}
