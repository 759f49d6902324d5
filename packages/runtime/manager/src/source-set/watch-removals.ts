import { pause, type Clock } from '@keelson/apimachinery';
import { ManagerError } from '../errors.ts';
import type { CallScope } from '../user-code/call-scope.ts';
import type { UserCode } from '../user-code/user-code.ts';
import { clusterOf, type SourceOptions, type WatchOptions } from '../sources/source-options.ts';
import type { RequestSink } from '../sources/request-sink.ts';
import { kindOf } from './next-plan.ts';
import type { Source } from './source.ts';

/** Milliseconds after which a removal no longer waits for `onWatchRemoved`. */
const MAX_CALL_MS = 30_000;

/** The parts of a controller that call user code and report its errors. */
interface WatchRemovalsOptions<Q extends object> {
  readonly sink: Pick<RequestSink<Q>, 'sourceError'>;
  readonly userCode: UserCode;
  readonly callScope: CallScope;
  readonly clock: Clock;
}

/** The last step of a removal, which calls `onWatchRemoved`. */
interface RemovalEnd {
  readonly causeSets: readonly [];
  /** Resolves at once for code of the call itself, which would wait for its own end. */
  release(): Promise<void>;
  /** Delivers the events of later watches, because the removal was cancelled. */
  recall(): void;
}

/**
 * Calls `onWatchRemoved` once for each removed watch, so that user code can delete data that was derived from its
 * objects. Until then, later watches of the kind deliver no events: the call would delete their data too.
 */
export class WatchRemovals<Q extends object> {
  readonly #sink: Pick<RequestSink<Q>, 'sourceError'>;
  readonly #userCode: UserCode;
  readonly #callScope: CallScope;
  readonly #clock: Clock;
  readonly #ends = new WeakMap<Source<Q>, RemovalEnd>();
  /** The calls that have not ended, by kind. */
  readonly #pending = new Map<string, Set<Promise<void>>>();
  /** Aborts when the controller has stopped. */
  readonly #closed = new AbortController();

  constructor({ sink, userCode, callScope, clock }: WatchRemovalsOptions<Q>) {
    this.#sink = sink;
    this.#userCode = userCode;
    this.#callScope = callScope;
    this.#clock = clock;
  }

  /** Resolves when the removals of earlier watches of a kind have ended; `undefined` without any. */
  pending(options: SourceOptions): Promise<unknown> | undefined {
    const removals = this.#pending.get(kindOf(options));
    return removals && Promise.all(removals);
  }

  /** Cancels the last step that `endOf` returned, because the watch stays. */
  recall(source: Source<Q>): void {
    this.#ends.get(source)?.recall();
    this.#ends.delete(source);
  }

  /** Returns the last step of the removal of a watch: the same for each removal of it. */
  endOf(source: Source<Q>): RemovalEnd {
    const known = this.#ends.get(source);
    if (known !== undefined) return known;
    const { promise, resolve } = Promise.withResolvers<void>();
    if (hasFunction(source.options)) this.#hold(kindOf(source.options), promise);
    const work = { hasEnded: false };
    let call: Promise<void> | undefined;
    const end: RemovalEnd = {
      causeSets: [],
      release: async () => {
        if (this.#callScope.current === work) return;
        await (call ??= this.#call(source, work).then(resolve));
      },
      recall: resolve,
    };
    this.#ends.set(source, end);
    return end;
  }

  /** Ends the wait for calls that have not ended. */
  close(): void {
    this.#closed.abort();
  }

  /** Calls the function as a part of `work`, by which the removal recognizes the code that it calls. */
  async #call({ name, options }: Source<Q>, work: { hasEnded: boolean }): Promise<void> {
    const { onWatchRemoved } = options as Partial<WatchOptions>;
    if (onWatchRemoved === undefined) return;
    const cluster = clusterOf(options);
    const ended = new AbortController();
    const closed = this.#closed.signal;
    try {
      const inScope = (): unknown =>
        this.#callScope.run(work, onWatchRemoved, cluster === undefined ? {} : { cluster });
      const call = (async () => this.#userCode.call(inScope))();
      await Promise.race([call, this.#tooLate(name, [ended.signal, closed])]);
    } catch (error) {
      if (error !== closed.reason) this.#sink.sourceError(name, error);
    } finally {
      work.hasEnded = true;
      ended.abort();
    }
  }

  /** Rejects with `WATCH_REMOVED_TIMEOUT` after the limit, or with the reason of the first signal that aborts before. */
  async #tooLate(watch: string, signals: readonly AbortSignal[]): Promise<never> {
    await pause(MAX_CALL_MS, signals, this.#clock);
    throw new ManagerError('WATCH_REMOVED_TIMEOUT', { watch, milliseconds: MAX_CALL_MS });
  }

  #hold(kind: string, call: Promise<void>): void {
    const calls = this.#pending.get(kind) ?? new Set();
    this.#pending.set(kind, calls.add(call));
    void this.#release(kind, call, calls);
  }

  async #release(kind: string, call: Promise<void>, calls: Set<Promise<void>>): Promise<void> {
    await call;
    calls.delete(call);
    if (calls.size === 0) this.#pending.delete(kind);
  }
}

function hasFunction({ onWatchRemoved }: Partial<WatchOptions>): boolean {
  return onWatchRemoved !== undefined;
}
