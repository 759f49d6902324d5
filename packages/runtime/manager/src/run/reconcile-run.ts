import {
  checkOptions,
  type Clock,
  type DeepReadonly,
  type KubernetesObject,
} from '@keelson/apimachinery';
import {
  applyAll,
  patchStatus,
  type Client,
  type ObservedRequest,
  type RequestOutcome,
} from '@keelson/client';
import type { CacheScope } from '@keelson/informer';
import type { WorkItem } from '@keelson/workqueue';
import type { Cause, CauseSet, QueuedCause } from '../reconcile/cause.ts';
import type { ControllerObserver, ReconcileResult } from './controller-observer.ts';
import type {
  ClusterAccess,
  ClusterLookup,
  ControllerCluster,
  ReconcileHelpers,
} from '../reconcile/cluster-access.ts';
import { addCall, type RecordedRun } from '../history/recorded-run.ts';
import { cutText } from '../events/cut-text.ts';
import type { EventRecorder } from '../reconcile/event-recorder.ts';
import { printableFacts, type Logger } from '../logging/logger.ts';
import type { BlockedSpan } from '../event-loop/blocked-span.ts';
import type { UserCall, UserCalls } from '../event-loop/user-calls.ts';
import type { ControllerTracing } from '../tracing/controllers/controller-tracing.ts';
import type { TracedSpan } from '../tracing/tracing.ts';
import type { UserRun } from '../user-code/call-scope.ts';
import { sleeper } from '../user-code/sleeper.ts';
import { withFinalizer } from '../reconcile/finalizer.ts';
import { ManagerError } from '../errors.ts';
import type { ClusterRequest, Request } from '../reconcile/request.ts';
import { requestFacts } from '../logging/request-facts.ts';
import type { ReconcileContext } from '../reconcile/reconcile.ts';
import type { RequestDaemons, RunDaemons } from '../daemons/request-daemons.ts';
import type { RunTracker, RunTracking } from './run-tracker.ts';

/** The largest title in bytes of a run whose request has no name. */
const MAX_TITLE_BYTES = 100;

/** A helper of the context, and the cluster that it writes to; `undefined` for the main cluster. */
interface HelperOfCluster {
  readonly helper: keyof ReconcileHelpers;
  readonly cluster: string | undefined;
}

/** The dependencies that all runs of a controller share. */
export interface RunDependencies {
  readonly cache: CacheScope;
  readonly client: Client;
  readonly clusters: {
    /** Throws `UNKNOWN_CLUSTER`. Returns a cluster that is being removed if it caused the call. */
    get(name: string, isCause?: () => boolean): ControllerCluster;
  };
  /** Refuses objects of other clusters. */
  readonly origins: {
    check(object: DeepReadonly<KubernetesObject>, of: HelperOfCluster): void;
  };
  readonly log: Logger;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly observer: Pick<ControllerObserver, 'panic'>;
  /** Receives the times of the user code that the controller calls. */
  readonly calls: UserCalls;
  /** Writes the spans of the runs. Default: none. */
  readonly tracing?: ControllerTracing | undefined;
}

/** The request of one run, its attempt, its limit, and its item of the queue. */
export interface RunFacts {
  readonly request: object;
  readonly attempt: number;
  /** Milliseconds; 0 for no limit. */
  readonly timeout: number;
  readonly work: WorkItem<unknown, QueuedCause>;
  /** The history of the run for `explain`; `undefined` if the controller keeps none. */
  readonly record: RecordedRun | undefined;
  /** The key of the request. */
  readonly key: string;
  readonly tracker: RunTracker<object>;
  readonly daemons: Pick<RequestDaemons<object>, 'begin'>;
  /** The queue that handed the request out. */
  readonly queue: { processingFor(isOf: (source: CauseSet) => boolean): readonly unknown[] };
}

/**
 * One run of a reconcile, and its context. The signal, the id and the logger are created on first use, because most
 * runs of a busy controller use none of them.
 */
export class ReconcileRun implements ReconcileContext, UserRun, UserCall {
  readonly role = 'reconcile';
  readonly cache: CacheScope;
  readonly client: Client;
  readonly clock: Clock;
  readonly events: EventRecorder;
  /** The key of the request. */
  readonly key: string;
  readonly attempt: number;
  readonly priority: number;
  readonly deadline: number | undefined;
  readonly record: RecordedRun | undefined;
  readonly span: TracedSpan | undefined;
  /** The error that the reconcile threw. */
  error: unknown;
  /** The objects that the run tracks; `undefined` before the first one. */
  tracking: RunTracking | undefined;
  /** The daemons that the run keeps; `undefined` before the first use. */
  ownDaemons: RunDaemons | undefined;
  readonly #dependencies: RunDependencies;
  readonly #queue: RunFacts['queue'];
  readonly #work: WorkItem<unknown, QueuedCause>;
  readonly #request: object;
  readonly #parentLog: Logger;
  readonly #observer: RunDependencies['observer'];
  readonly #calls: UserCalls;
  /** The slot of the run in the watch of the event loop. */
  readonly #slot: number;
  #abort: AbortController | undefined;
  #abortReason: unknown;
  #isAborted = false;
  #hasEnded = false;
  /** The number of barriers in which code of the run waits. */
  #barriers = 0;
  readonly #awaitingEnd: (() => void)[] = [];
  /** Waits that resolve at the next end, abort or entry of a barrier. */
  readonly #awaitingChange: (() => void)[] = [];
  #causes: readonly Cause[] | undefined;
  readonly #tracker: RunTracker<object>;
  readonly #daemons: RunFacts['daemons'];
  #id: string | undefined;
  #log: Logger | undefined;

  constructor(dependencies: RunDependencies, facts: RunFacts) {
    this.cache = dependencies.cache;
    this.client = dependencies.client;
    this.clock = dependencies.clock;
    this.#dependencies = dependencies;
    this.#queue = facts.queue;
    this.#tracker = facts.tracker;
    this.#daemons = facts.daemons;
    this.key = facts.key;
    this.events = dependencies.events;
    this.#parentLog = dependencies.log;
    this.#observer = dependencies.observer;
    this.#calls = dependencies.calls;
    this.#request = facts.request;
    this.attempt = facts.attempt;
    this.record = facts.record;
    this.#work = facts.work;
    this.priority = facts.work.priority;
    this.deadline = facts.timeout === 0 ? undefined : dependencies.clock.now() + facts.timeout;
    this.#slot = this.#calls.began(this);
    this.span = dependencies.tracing?.began(facts, this);
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#isAborted) this.#abort.abort(this.#abortReason);
    }
    return this.#abort.signal;
  }

  get reconcileId(): string {
    if (this.#id === undefined) {
      this.#id = process.getBuiltinModule('node:crypto').randomUUID();
      if (this.record !== undefined) this.record.reconcileId = this.#id;
    }
    return this.#id;
  }

  get log(): Logger {
    this.#log ??= this.#parentLog.child(this.facts);
    return this.#log;
  }

  get causes(): readonly Cause[] {
    this.#causes ??= causesOf(this.#work);
    return this.#causes;
  }

  get sleep(): ReconcileContext['sleep'] {
    return sleeper(this.clock, () => this.signal);
  }

  get finalizer(): ReconcileContext['finalizer'] {
    return this.#helpers.finalizer;
  }

  get patchStatus(): ReconcileContext['patchStatus'] {
    return this.#helpers.patchStatus;
  }

  get applyAll(): ReconcileContext['applyAll'] {
    return this.#helpers.applyAll;
  }

  get track(): ReconcileContext['track'] {
    return this.#helpers.track;
  }

  get daemons(): ReconcileContext['daemons'] {
    this.ownDaemons ??= this.#daemons.begin(this.key, this.#request);
    // Code that a run left behind must not start daemons for a later one.
    if (this.#hasEnded) this.ownDaemons.close();
    return this.ownDaemons;
  }

  get clusters(): ClusterLookup {
    return {
      get: (name) => {
        const { clusters } = this.#dependencies;
        const cluster = clusters.get(name, () => this.#isCausedBy(name));
        return { ...cluster, ...this.#helpersOf(name, cluster.client) };
      },
    };
  }

  get cluster(): ClusterAccess {
    const { cluster } = this.#request as Partial<ClusterRequest>;
    if (typeof cluster !== 'string') {
      throw new ManagerError('NO_CLUSTER', { controller: this.#calls.name, request: this.key });
    }
    return this.clusters.get(cluster);
  }

  /** True if a source in the cluster caused the run. */
  #isCausedBy(cluster: string): boolean {
    const caused = this.#queue.processingFor((source) => source.cluster === cluster);
    return caused.includes(this.#work);
  }

  get #helpers(): ReconcileHelpers {
    return this.#helpersOf(undefined, this.client);
  }

  /** Returns functions that do not use `this`, because a reconcile takes them from the context by destructuring. */
  #helpersOf(cluster: string | undefined, client: Client): ReconcileHelpers {
    const { origins } = this.#dependencies;
    return {
      finalizer: async (work) => {
        origins.check(work?.object, { helper: 'finalizer', cluster });
        return withFinalizer({ client, signal: this.signal, ...work });
      },
      patchStatus: async (resource, object, status, options = {}) => {
        origins.check(object, { helper: 'patchStatus', cluster });
        checkOptions(options, ['summary'], 'patchStatus.options');
        return patchStatus({ client, signal: this.signal, resource, object, status, ...options });
      },
      applyAll: async (objects, options) => {
        origins.check(options?.owner, { helper: 'applyAll', cluster });
        return applyAll(objects, { signal: this.signal, ...options, client });
      },
      track: async (resource, name) => {
        this.tracking ??= this.#tracker.begin(this.key, this.#request);
        // Code that a run left behind must not track for a later one.
        if (this.#hasEnded) this.#tracker.ended(this.key, this.tracking, false);
        return this.tracking.track(resource, name, { cluster, client, signal: this.signal });
      },
    };
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get isAborted(): boolean {
    return this.#isAborted;
  }

  abort(reason: unknown): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#abortReason = reason;
    this.#abort?.abort(reason);
    this.#changed();
  }

  end(result: ReconcileResult): void {
    this.#hasEnded = true;
    const { error, span } = this;
    if (span !== undefined) this.#dependencies.tracing?.ended(this.key, span, { result, error });
    this.#calls.ended(this.#slot);
    for (const resolve of this.#awaitingEnd.splice(0)) resolve();
    if (this.#awaitingChange.length > 0) this.#changed();
  }

  /** The controller and the request, for a warning that names several runs. */
  get title(): string {
    const { namespace, name } = requestFacts(this.#request) as Partial<Request>;
    const path = namespace === undefined ? name : `${namespace}/${name}`;
    return `${this.#calls.name} ${path ?? cutText(JSON.stringify(printableFacts(this.#request)), MAX_TITLE_BYTES)}`;
  }

  get facts(): Readonly<Record<string, unknown>> {
    return { ...requestFacts(this.#request), reconcileId: this.reconcileId };
  }

  blocked(span: BlockedSpan): void {
    this.#calls.report(this, span);
  }

  enterBarrier(): () => void {
    this.#barriers += 1;
    this.#changed();
    let left = false;
    return () => {
      if (!left) this.#barriers -= 1;
      left = true;
    };
  }

  called(request: ObservedRequest, outcome: RequestOutcome): void {
    if (this.record !== undefined) addCall(this.record, request, outcome);
  }

  uncaught(error: unknown): void {
    this.#observer.panic();
    this.log.error({ err: error }, 'reconcile left an error uncaught');
  }

  /** Resolves when the run has ended, with or without an error. */
  ended(): Promise<void> {
    if (this.#hasEnded) return Promise.resolve();
    return new Promise((resolve) => this.#awaitingEnd.push(resolve));
  }

  /** Resolves when the run has ended, was aborted, or waits in a barrier itself. */
  async endedOrAborted(): Promise<void> {
    while (!this.#isAborted && !this.#isOver) await this.#change();
  }

  /** Resolves when the run has ended or waits in a barrier itself. */
  async endedOrWaiting(): Promise<void> {
    while (!this.#isOver) await this.#change();
  }

  get #isOver(): boolean {
    return this.#hasEnded || this.#barriers > 0;
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#awaitingChange.push(resolve));
  }

  #changed(): void {
    for (const resolve of this.#awaitingChange.splice(0)) resolve();
  }
}

function causesOf({ causes, causedAt, startedAt }: WorkItem<unknown, QueuedCause>): Cause[] {
  return causes.map(({ source, reason }, index) => {
    const age = Math.max(0, Math.floor(startedAt) - (causedAt[index] ?? startedAt));
    return { source: source.name, reason, age };
  });
}
