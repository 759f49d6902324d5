import { randomUUID } from 'node:crypto';
import type { Client } from '@keelson/client';
import type { CacheScope } from '@keelson/informer';
import type { Cause } from './cause.ts';
import type { ControllerObserver } from './controller-observer.ts';
import type { EventRecorder } from './event-recorder.ts';
import type { Logger } from './logger.ts';
import type { Work } from './own-work.ts';
import type { ReconcileContext } from './reconcile.ts';

/** What every run of a controller shares. */
export interface RunSurroundings {
  readonly cache: CacheScope;
  readonly client: Client;
  readonly log: Logger;
  readonly events: EventRecorder;
  readonly observer: Pick<ControllerObserver, 'panic'>;
}

/** What is particular to one run. */
export interface RunFacts {
  readonly request: object;
  readonly attempt: number;
  readonly causes: readonly Cause[];
  readonly priority: number;
}

/**
 * One run of a reconcile and the context it is given. The signal, the id and the logger are made
 * when they are first asked for: most runs of a busy controller ask for none of them.
 */
export class ReconcileRun implements ReconcileContext, Work {
  readonly cache: CacheScope;
  readonly client: Client;
  readonly events: EventRecorder;
  readonly attempt: number;
  readonly causes: readonly Cause[];
  readonly priority: number;
  readonly #request: object;
  readonly #parentLog: Logger;
  readonly #observer: RunSurroundings['observer'];
  #abort: AbortController | undefined;
  #abortReason: unknown;
  #isAborted = false;
  #hasEnded = false;
  /** Who waits for the end; who waits no longer than to the abort. */
  readonly #awaitingEnd: (() => void)[] = [];
  readonly #awaitingAbort: (() => void)[] = [];
  #id: string | undefined;
  #log: Logger | undefined;

  constructor(surroundings: RunSurroundings, facts: RunFacts) {
    this.cache = surroundings.cache;
    this.client = surroundings.client;
    this.events = surroundings.events;
    this.#parentLog = surroundings.log;
    this.#observer = surroundings.observer;
    this.#request = facts.request;
    this.attempt = facts.attempt;
    this.causes = facts.causes;
    this.priority = facts.priority;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#isAborted) this.#abort.abort(this.#abortReason);
    }
    return this.#abort.signal;
  }

  get reconcileId(): string {
    this.#id ??= randomUUID();
    return this.#id;
  }

  get log(): Logger {
    this.#log ??= this.#parentLog.child({ ...this.#request, reconcileId: this.reconcileId });
    return this.#log;
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
    for (const resolve of this.#awaitingAbort.splice(0)) resolve();
  }

  end(): void {
    this.#hasEnded = true;
    for (const resolve of this.#awaitingEnd.splice(0)) resolve();
    for (const resolve of this.#awaitingAbort.splice(0)) resolve();
  }

  uncaught(error: unknown): void {
    this.#observer.panic();
    this.log.error({ err: error }, 'reconcile left an error uncaught');
  }

  /** Resolves when the run has ended, however it ended. */
  ended(): Promise<void> {
    if (this.#hasEnded) return Promise.resolve();
    return new Promise((resolve) => this.#awaitingEnd.push(resolve));
  }

  /** Resolves when the run has ended, or was aborted because its time was over. */
  endedOrAborted(): Promise<void> {
    if (this.#hasEnded || this.#isAborted) return Promise.resolve();
    return new Promise((resolve) => this.#awaitingAbort.push(resolve));
  }
}
