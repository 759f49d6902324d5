import {
  TerminalError,
  type Controller,
  type DynamicWatch,
  type Outcome,
  type ReconcileContext,
  type Request,
} from '@keelson/manager';
import type { VirtualClock } from '../clock/virtual-clock.ts';
import type { Report } from '../invariants/invariant.ts';
import type { SimulatedServer } from '../server/simulated-server.ts';
import { BackoffModel } from './backoff-model.ts';
import { OWN, RequestReasons, withoutRetry } from './request-reasons.ts';
import { Behaviours, HangingRuns, nextTurn, writeInRace, writeObject } from './run-behaviour.ts';
import type { NamespaceEpochs } from './namespace-epochs.ts';
import { SeenStates, type Look } from './seen-states.ts';
import { SourceEvents } from './source-events.ts';
import { WatchSet } from './watch-set.ts';
import { keyOf, WatchedSource, type WatchedQuery } from './watched-source.ts';

/** One run of the reconcile. */
export interface Run {
  readonly key: string;
  readonly owner: SimulatedController;
  /** The sources that requested it. */
  readonly reasons: ReadonlySet<string>;
  /** It waits in a removal or a stop itself, or its signal has aborted: removals do not wait for it. */
  isExempt: boolean;
}

/** A watch that was added at run time. */
export interface AddedWatch {
  readonly source: WatchedSource;
  readonly watch: DynamicWatch;
}

export interface SimulatedControllerOptions {
  readonly name: string;
  readonly server: SimulatedServer;
  readonly clock: VirtualClock;
  readonly report: Report;
  readonly trace: (line: string) => void;
  readonly random: () => number;
  /** The runs of all controllers of this name, by key. */
  readonly running: Map<string, Run>;
  /** The mapper of each source is a function of the simulation, so that all reasons of a run are known. */
  readonly knowsReasons: boolean;
  /** False while the manager is not the leader. */
  readonly mayRun: () => boolean;
  /** The namespaces of the sources that name none. */
  readonly namespaces: NamespaceEpochs | undefined;
}

/** The reconcile of one controller, and the checks of its runs. */
export class SimulatedController {
  readonly name: string;
  readonly sources: WatchedSource[] = [];
  readonly watches: AddedWatch[] = [];
  readonly set: WatchSet = new WatchSet();
  readonly reasons: RequestReasons = new RequestReasons();
  isStopped = false;
  readonly #options: SimulatedControllerOptions;
  readonly #behaviours: Behaviours;
  readonly #backoff = new BackoffModel();
  readonly #seen: SeenStates;
  readonly #events = new Map<WatchedSource, SourceEvents>();
  readonly #hanging = new HangingRuns();
  #controller: Controller | undefined;

  constructor(options: SimulatedControllerOptions) {
    this.#options = options;
    this.name = options.name;
    this.#behaviours = new Behaviours(options.random);
    const { server, report } = options;
    this.#seen = new SeenStates({ controller: options.name, server, report });
  }

  get controller(): Controller {
    if (this.#controller === undefined) throw new Error('the controller is not added');
    return this.#controller;
  }

  /** The namespaces of the controller; `undefined` without a set. */
  get namespaces(): NamespaceEpochs | undefined {
    return this.#options.namespaces;
  }

  addSource(name: string, query: WatchedQuery): WatchedSource {
    const source = new WatchedSource(name, query, this.#options.namespaces);
    const { server, report } = this.#options;
    this.sources.push(source);
    this.#events.set(source, new SourceEvents({ controller: this.name, source, server, report }));
    return source;
  }

  /** Returns the events of a source of this controller. */
  eventsOf(source: WatchedSource): SourceEvents {
    const events = this.#events.get(source);
    if (events === undefined) throw new Error('the source is not of this controller');
    return events;
  }

  /** Replaces a set of namespaces of some sources, and checks what is left of those that leave. */
  async setNamespaces(
    sources: readonly WatchedSource[],
    namespaces: NamespaceEpochs,
    { next, change }: { next: readonly string[]; change: () => Promise<unknown> },
  ): Promise<void> {
    const before = sources.flatMap(({ reasons }) => reasons);
    const left = namespaces.present.filter((namespace) => !next.includes(namespace));
    const changed = change();
    namespaces.replace(next);
    for (const source of sources) for (const one of left) this.eventsOf(source).leave(one);
    const after = new Set(sources.flatMap(({ reasons }) => reasons));
    const gone = before.filter((reason) => !after.has(reason));
    this.#withdraw(gone);
    await changed;
    this.checkRemoved(gone);
  }

  attach(controller: Controller): void {
    this.#controller = controller;
    this.#seen.require(this.sources);
  }

  /** From now on every run succeeds. */
  calm(): void {
    this.#behaviours.calm();
    this.releaseRuns();
  }

  /** Ends the runs that hang. */
  releaseRuns(): number {
    return this.#hanging.release();
  }

  /** Removes a watch, and checks what is left of it when the removal has ended. */
  async remove(added: AddedWatch): Promise<void> {
    const { source, watch } = added;
    this.watches.splice(this.watches.indexOf(added), 1);
    const removed = watch.remove();
    const reasons = this.withdrawn(source);
    await removed;
    this.checkRemoved(reasons);
  }

  /** The source is detached: it requests nothing any more. Returns the reasons that ended. */
  withdrawn(source: WatchedSource): readonly string[] {
    const { reasons } = source;
    source.isLive = false;
    this.#withdraw(reasons);
    return reasons;
  }

  /** The mapper of a source is called. */
  mapped({ name, isLive }: WatchedSource): void {
    if (!isLive) this.#broken('removal', `the mapper of ${name} is called after its removal`);
  }

  /** No run of a reason that was withdrawn may be left. */
  checkRemoved(withdrawn: readonly string[]): void {
    for (const { key, reasons, isExempt, owner } of this.#options.running.values()) {
      const reason = withdrawn.find((one) => reasons.has(one));
      if (reason === undefined || isExempt || this.isStopped || owner !== this) continue;
      this.#broken('removal', `${key} still runs because of ${reason}, whose removal has ended`);
    }
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.controller.stop();
  }

  readonly reconcile = async (
    request: Request,
    context: ReconcileContext,
  ): Promise<Outcome | undefined> => {
    const run = this.#begin(request, context);
    context.signal.addEventListener('abort', () => (run.isExempt = true));
    const look = this.#seen.look(this.sources, context.cache);
    try {
      const outcome = await this.#behave(run, request, context);
      if (outcome?.retry === true) this.#failed(run);
      else this.#ended(run, look);
      return outcome;
    } catch (error) {
      if (error instanceof TerminalError) this.#ended(run, look);
      else this.#failed(run);
      throw error;
    } finally {
      this.#options.running.delete(run.key);
    }
  };

  /** Every object of a live source must be what the last run of its request saw. */
  checkWakeUps(report: Report): void {
    if (!this.isStopped) this.#seen.check(this.sources, report);
  }

  /** A removal may reset the backoff of requests. */
  #withdraw(reasons: readonly string[]): void {
    for (const reason of reasons) this.reasons.withdraw(reason);
    if (reasons.length > 0) this.#backoff.doubtAll();
  }

  #begin({ namespace = '', name }: Request, { attempt }: ReconcileContext): Run {
    const { trace, clock, knowsReasons } = this.#options;
    const key = keyOf({ namespace, name });
    const reasons = this.reasons.take(key);
    const text = reasons === undefined ? '' : ` because of ${[...reasons].join(', ')}`;
    trace(`  ${this.name}: reconciles ${key}, attempt ${attempt}${text}`);
    if (this.#options.running.has(key))
      this.#broken('one run', `${key} runs twice at the same time`);
    if (!this.#options.mayRun())
      this.#broken('leader', `${key} runs, and the process does not lead`);
    if (knowsReasons) {
      if (reasons === undefined) this.#broken('ownership', `nothing requested the run of ${key}`);
      const isRetryOnly =
        reasons !== undefined && [...reasons].every((one) => one.startsWith('retry '));
      const problem = this.#backoff.begin(key, clock.now, !isRetryOnly);
      if (problem !== undefined && clock.readingMs === 0)
        this.#broken('backoff', `${key}: ${problem}`);
    }
    const run: Run = {
      key,
      reasons: withoutRetry(reasons ?? new Set()),
      owner: this,
      isExempt: false,
    };
    this.#options.running.set(key, run);
    return run;
  }

  async #behave(
    run: Run,
    request: Request,
    context: ReconcileContext,
  ): Promise<Outcome | undefined> {
    const behaviour = this.#behaviours.next();
    this.#options.trace(`  ${this.name}: ${run.key} ${behaviour}`);
    switch (behaviour) {
      case 'succeeds':
        return undefined;
      case 'takes some turns':
        for (let turn = 0; turn < 2; turn++) await nextTurn();
        return undefined;
      case 'throws':
        await nextTurn();
        throw new Error('the reconcile throws');
      case 'throws a terminal error':
        throw new TerminalError('the reconcile throws a terminal error');
      case 'retries':
        return { retry: true };
      case 'requeues':
        this.reasons.add(run.key, OWN);
        return { requeueAfter: 2_000 };
      case 'returns an invalid result':
        return { requeueAfter: -1 };
      case 'hangs until its signal aborts':
      case 'ignores its signal':
        await this.#hanging.hang(behaviour === 'ignores its signal' ? undefined : context.signal);
        return undefined;
      case 'removes a watch': {
        const [added] = this.watches;
        run.isExempt = true;
        if (added !== undefined) await this.remove(added);
        return undefined;
      }
      case 'writes':
        await writeObject(request, context, this.#behaviours.choice());
        return undefined;
      case 'writes before another client':
        await writeInRace(request, context, this.#options.server);
        return undefined;
      case 'stops its controller':
        run.isExempt = true;
        await this.stop();
        return undefined;
    }
  }

  #ended({ key }: Run, look: Look): void {
    this.#backoff.forget(key);
    this.#seen.ended(key, look);
  }

  /** The retry keeps the reasons of the run that were not removed since. */
  #failed({ key, reasons }: Run): void {
    this.#backoff.fail(key, this.#options.clock.now);
    const live = new Set(this.sources.flatMap((source) => source.reasons));
    for (const reason of reasons) {
      if (reason === OWN || live.has(reason)) this.reasons.add(key, `retry ${reason}`);
    }
  }

  #broken(...[invariant, facts]: Parameters<Report>): void {
    this.#options.report(invariant, `${this.name}: ${facts}`);
  }
}
