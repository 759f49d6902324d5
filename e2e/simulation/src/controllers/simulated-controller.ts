import { hasCode } from '@keelson/apimachinery';
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
import { RequestReasons, OWN } from './request-reasons.ts';
import { Behaviours, nextTurn, writeObject } from './run-behaviour.ts';
import { keyOf, type WatchedSource } from './watched-source.ts';

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
}

/** The reconcile of one controller, and the checks of its runs. */
export class SimulatedController {
  readonly name: string;
  readonly sources: WatchedSource[] = [];
  readonly watches: AddedWatch[] = [];
  /** The sources of the set that `replaceWatches` replaces. */
  set: readonly WatchedSource[] = [];
  readonly reasons: RequestReasons = new RequestReasons();
  isStopped = false;
  readonly #options: SimulatedControllerOptions;
  readonly #behaviours: Behaviours;
  readonly #backoff = new BackoffModel();
  /** The objects of each source that the last run of each request saw. */
  readonly #seen = new Map<string, Map<WatchedSource, string>>();
  readonly #hanging = new Set<() => void>();
  #controller: Controller | undefined;
  /** The sources of the options, which every run may read. */
  #required: ReadonlySet<WatchedSource> = new Set();

  constructor(options: SimulatedControllerOptions) {
    this.#options = options;
    this.name = options.name;
    this.#behaviours = new Behaviours(options.random);
  }

  get controller(): Controller {
    if (this.#controller === undefined) throw new Error('the controller is not added');
    return this.#controller;
  }

  attach(controller: Controller): void {
    this.#controller = controller;
    this.#required = new Set(this.sources);
  }

  /** From now on every run succeeds. */
  calm(): void {
    this.#behaviours.calm();
    this.releaseRuns();
  }

  /** Ends the runs that hang. */
  releaseRuns(): number {
    const hanging = [...this.#hanging];
    this.#hanging.clear();
    for (const end of hanging) end();
    return hanging.length;
  }

  /** Removes a watch, and checks what is left of it when the removal has ended. */
  async remove(added: AddedWatch): Promise<void> {
    const { source, watch } = added;
    this.watches.splice(this.watches.indexOf(added), 1);
    const removed = watch.remove();
    this.withdrawn(source);
    await removed;
    this.checkRemoved(source);
  }

  /** The source is detached: it requests nothing any more. */
  withdrawn(source: WatchedSource): void {
    source.isLive = false;
    this.reasons.withdraw(source.name);
    this.#backoff.doubtAll();
  }

  /** The mapper of a source is called. */
  mapped({ name, isLive }: WatchedSource): void {
    if (!isLive) this.#broken('removal', `the mapper of ${name} is called after its removal`);
  }

  /** No run of a removed source may be left. */
  checkRemoved({ name }: WatchedSource): void {
    for (const { key, reasons, isExempt, owner } of this.#options.running.values()) {
      if (!reasons.has(name) || isExempt || this.isStopped || owner !== this) continue;
      this.#broken('removal', `${key} still runs because of ${name}, whose removal has ended`);
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
    const seen = this.#look(context);
    try {
      const outcome = await this.#behave(run, request, context);
      if (outcome?.retry === true) this.#failed(run);
      else this.#ended(run, seen);
      return outcome;
    } catch (error) {
      if (error instanceof TerminalError) this.#ended(run, seen);
      else this.#failed(run);
      throw error;
    } finally {
      this.#options.running.delete(run.key);
    }
  };

  /** Every object of a live source must be what the last run of its request saw. */
  checkWakeUps(): void {
    if (this.isStopped) return;
    for (const source of this.sources.filter(({ isLive }) => isLive)) {
      const present = source.presentIn(this.#options.server);
      for (const key of new Set([...present.keys(), ...this.#seen.keys()])) {
        const wanted = present.get(key) ?? '';
        const seen = this.#seen.get(key)?.get(source) ?? '';
        if (wanted === seen || this.#isOwn(seen)) continue;
        const facts = `the last run of ${key} saw [${seen}] of ${source.name}, the server has [${wanted}]`;
        this.#broken('wake-up', facts);
      }
    }
  }

  /** True for a write of this process, which a run may see although no watch receives it before it is gone. */
  #isOwn(seen: string): boolean {
    return this.#options.server.ownWrites.has(Number(seen.split(' ').at(-1)));
  }

  #begin({ namespace = '', name }: Request, { attempt }: ReconcileContext): Run {
    const { trace, clock, knowsReasons } = this.#options;
    const key = keyOf({ namespace, name });
    const reasons = this.reasons.take(key);
    const text = reasons === undefined ? '' : ` because of ${[...reasons].join(', ')}`;
    trace(`  ${this.name}: reconciles ${key}, attempt ${attempt}${text}`);
    if (this.#options.running.has(key))
      this.#broken('one run', `${key} runs twice at the same time`);
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

  /** Reads the objects of every source that has synced. */
  #look({ cache }: ReconcileContext): Map<string, Map<WatchedSource, string>> {
    const seen = new Map<string, Map<WatchedSource, string>>();
    for (const source of this.sources.filter(({ isLive }) => isLive)) {
      try {
        for (const [key, text] of source.seenIn(cache, this.#options.server)) {
          const ofKey = seen.get(key) ?? new Map<WatchedSource, string>();
          seen.set(key, ofKey.set(source, text));
        }
      } catch (error) {
        if (hasCode(error, 'NOT_SYNCED') && !this.#required.has(source)) continue;
        this.#broken('start', `a run cannot read ${source.name}: ${String(error)}`);
      }
    }
    return seen;
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
        await nextTurn();
        await nextTurn();
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
        await this.#hang(context.signal);
        return undefined;
      case 'ignores its signal':
        await this.#hang(undefined);
        return undefined;
      case 'removes a watch': {
        const [added] = this.watches;
        run.isExempt = true;
        if (added !== undefined) await this.remove(added);
        return undefined;
      }
      case 'writes':
        await writeObject(request, context);
        return undefined;
      case 'stops its controller':
        run.isExempt = true;
        await this.stop();
        return undefined;
    }
  }

  #ended({ key }: Run, seen: ReadonlyMap<string, Map<WatchedSource, string>>): void {
    this.#backoff.forget(key);
    this.#seen.set(key, seen.get(key) ?? new Map());
  }

  /** The retry keeps the reasons of the run that were not removed since. */
  #failed({ key, reasons }: Run): void {
    this.#backoff.fail(key, this.#options.clock.now);
    const live = new Set(this.sources.filter(({ isLive }) => isLive).map(({ name }) => name));
    for (const reason of reasons) {
      if (reason === OWN || live.has(reason)) this.reasons.add(key, `retry ${reason}`);
    }
  }

  #hang(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      this.#hanging.add(resolve);
      signal?.addEventListener('abort', () => resolve());
      if (signal?.aborted === true) resolve();
    });
  }

  #broken(...[invariant, facts]: Parameters<Report>): void {
    this.#options.report(invariant, `${this.name}: ${facts}`);
  }
}

function withoutRetry(reasons: ReadonlySet<string>): Set<string> {
  return new Set(Array.from(reasons, (reason) => reason.replace(/^retry /, '')));
}
