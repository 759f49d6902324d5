import { abortable, withLinkedSignal, type KubernetesObject } from '@keelson/apimachinery';
import type { LimitOptions } from '@keelson/workqueue';
import { ManagerError } from '../errors.ts';
import type { ControllerHost } from './controller-host.ts';
import type { ControllerOptions, ControllerSettings } from './controller-options.ts';
import { limitsOf } from '../run/queue-options.ts';
import { namespaceSet } from '../sources/namespace-set.ts';
import {
  checkChanges,
  namesCluster,
  reconfigured,
  withoutCluster,
  type Changes,
  type ReconfigureOptions,
  type ReconfigureResult,
} from './reconfiguration.ts';
import type { IterableSources } from '../sources/iterables/iterable-sources.ts';
import type { ReassignableQueue } from '../source-set/request-handover.ts';
import { declaring, type NextPlan } from '../source-set/next-plan.ts';
import type { RemovalBarrier } from '../source-set/removal-barrier.ts';
import { SourceChange } from '../source-set/source-change.ts';
import type { FleetCluster } from '../source-set/source-factory.ts';
import { Source } from '../source-set/source.ts';
import type { SourceSet } from '../source-set/source-set.ts';
import { Turns } from './turns.ts';
import { watchLabel } from '../sources/source-text.ts';

/** The queue and the workers of a controller, whose settings change. */
interface ConfigurableLoop<Q extends object> extends ReassignableQueue<Q> {
  configure(settings: ControllerSettings, limits: LimitOptions | undefined): void;
}

export interface ReconfigurationsOptions<Q extends object> {
  readonly options: ControllerOptions<KubernetesObject, Q>;
  readonly sources: SourceSet<Q>;
  readonly iterables: IterableSources<Q>;
  readonly barrier: RemovalBarrier<Q>;
  readonly loop: ConfigurableLoop<Q>;
  readonly host: Pick<ControllerHost, 'callScope' | 'clock' | 'log' | 'settingsOf'>;
  /** Aborts when the controller stops, which cancels the changes that are not in force. */
  readonly stopped: AbortSignal;
}

/** A change whose new configuration is in force. */
interface Applied {
  readonly result: ReconfigureResult;
  /** Resolves when the runs of the former watches have ended. */
  readonly removed: Promise<void>;
}

/** The options that change the limits of retries. */
const limitNames: ReadonlySet<string> = new Set(['backoff', 'rateLimiter', 'tokenBucket']);

/** Applies the changes of a live controller, one after the other. */
export class Reconfigurations<Q extends object> {
  readonly #setup: ReconfigurationsOptions<Q>;
  readonly #turns = new Turns();
  /** The options in force. */
  #options: ControllerOptions<KubernetesObject, Q>;
  /** The accepted changes that are not in force yet, in their order. Aborting the controller of a change cancels it. */
  readonly #pending = new Map<Changes<Q>, AbortController>();

  constructor(setup: ReconfigurationsOptions<Q>) {
    this.#setup = setup;
    this.#options = setup.options;
  }

  /** Checks a change at once, and applies it after the earlier ones. */
  async reconfigure(given: Changes<Q>, bounds: ReconfigureOptions): Promise<ReconfigureResult> {
    checkChanges(given, bounds);
    const changes = copyOf(given);
    let expected = this.#options;
    for (const earlier of [...this.#pending.keys(), changes])
      expected = reconfigured(expected, earlier);
    this.#setup.host.settingsOf(expected, 'reconfigure');
    const refusal = new AbortController();
    this.#pending.set(changes, refusal);
    const { result, removed } = await this.#inTurnAsBarrier(
      [bounds.signal, refusal.signal],
      (signal) => this.#apply(changes, bounds.signal, signal),
    ).finally(() => this.#pending.delete(changes));
    await removed;
    return result;
  }

  /**
   * Calls a function after the changes that were accepted before, and waits for its promise. Later changes do not wait
   * for it. The signal ends only the wait. Rejects if the controller stops before the call.
   */
  async inTurn(act: () => Promise<void>, signal: AbortSignal | undefined): Promise<void> {
    if (this.#turns.areIdle) return act();
    const begin = async (): Promise<{ readonly ended: Promise<void> }> => {
      const ended = act();
      // The wait may have ended before.
      ended.catch(() => undefined);
      return { ended };
    };
    const { ended } = await this.#setup.host.callScope.inBarrier(() =>
      abortable(this.#queue([], begin), [signal]),
    );
    await ended;
  }

  /**
   * Opens the sources with `clusters` in a cluster that was added, after the changes that were accepted before, if it is
   * wanted then. An error is logged, and the other clusters are not affected.
   */
  engage(cluster: FleetCluster, isWanted: (cluster: FleetCluster) => boolean): void {
    const { host } = this.#setup;
    const open = async (): Promise<void> => {
      if (isWanted(cluster)) this.#engage(cluster);
    };
    // Rejects if the controller stops before.
    this.inTurn(open, undefined).catch((error: unknown) => {
      if (this.#setup.stopped.aborted) return;
      host.log.error({ cluster: cluster.name, err: error }, 'cluster was not engaged');
    });
  }

  #engage(cluster: FleetCluster): void {
    const { sources } = this.#setup;
    // A change of the options that began later may have brought the cluster up.
    if (cluster.isRemoved || sources.spans(cluster.name)) return;
    const plans = sources.factory.plansIn(cluster, this.#options);
    if (plans.length === 0) return;
    const added = plans.map((plan) => new Source(plan));
    sources.apply({ added, declared: [...sources.declared, ...added] });
  }

  /**
   * Removes the sources of a removed cluster from the options in force, and cancels pending changes that name the
   * cluster.
   */
  leaveCluster(cluster: string): void {
    this.#options = withoutCluster(this.#options, cluster);
    for (const [changes, refusal] of this.#pending) {
      if (!namesCluster(changes, cluster)) continue;
      refusal.abort(new ManagerError('UNKNOWN_CLUSTER', { cluster }));
    }
  }

  /** Applies a change. `signal` cancels it; `given` only ends the wait for the runs of the former watches. */
  async #apply(
    changes: Changes<Q>,
    given: AbortSignal | undefined,
    signal: AbortSignal,
  ): Promise<Applied> {
    signal.throwIfAborted();
    const { host, loop, sources, barrier } = this.#setup;
    const options = reconfigured(this.#options, changes);
    const settings = host.settingsOf(options, 'reconfigure');
    const plan = this.#planOf(options, changes, settings);
    sources.prepare(plan);
    const change = new SourceChange(sources, loop, plan, 'delivered');
    try {
      if (!change.isReady) await this.#wait(change, settings, signal);
    } catch (error) {
      // Through the barrier: runs that the new watches have caused may still read their objects.
      void barrier.remove(sources.discard(plan), undefined);
      throw error;
    }
    const changed = Object.keys(changes);
    const started = change.coming;
    const left = change.commit();
    // Begins at once: a free worker must not take a request that only the former watches caused.
    const removed = barrier.leave(left, given);
    const watches = sources.all.flatMap(({ members }) => members);
    const fresh = new Set(started);
    const difference = {
      started: started.map(watchLabel),
      kept: watches.filter((one) => !fresh.has(one)).map(watchLabel),
      stopped: left.flatMap((one) => one.watches).map(watchLabel),
    };
    // Computed again, because a cluster may have been removed during the wait.
    this.#options = reconfigured(this.#options, changes);
    this.#configure(changed, settings);
    host.log.info(
      { changed, ...difference, kept: difference.kept.length },
      'controller reconfigured',
    );
    return { removed, result: { changed, ...difference } };
  }

  #planOf(
    options: ControllerOptions<KubernetesObject, Q>,
    changes: Changes<Q>,
    settings: ControllerSettings,
  ): NextPlan<Q> {
    const { sources } = this.#setup;
    const namespaces = changes.namespaces
      ? namespaceSet(changes.namespaces, 'reconfigure.namespaces')
      : sources.namespaces;
    return {
      ...declaring(sources.declared, sources.factory.plansOf(options, settings)),
      namespaces,
    };
  }

  #configure(changed: readonly string[], settings: ControllerSettings): void {
    const { loop, sources, iterables } = this.#setup;
    sources.configure(settings);
    iterables.configure(settings);
    const changesLimits = changed.some((name) => limitNames.has(name));
    const { rateLimiter } = this.#options;
    loop.configure(settings, changesLimits ? limitsOf(rateLimiter, settings) : undefined);
  }

  /** Waits until the new watches have synced, while the present ones are in force. */
  async #wait(
    change: SourceChange<Q>,
    { cacheSyncTimeout: timeout }: ControllerSettings,
    signal: AbortSignal,
  ): Promise<void> {
    const { options, host } = this.#setup;
    const { clock, log } = host;
    const limits = { controller: options.name, timeout, log, clock, limitsFurther: true };
    await change.limited(change.prepare(signal), limits);
  }

  /** Calls `act` in its turn. It is a barrier: a removal does not wait for a run that waits here. */
  #inTurnAsBarrier<Result>(
    given: readonly (AbortSignal | undefined)[],
    act: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    return this.#setup.host.callScope.inBarrier(() => this.#queue(given, act));
  }

  #queue<Result>(
    given: readonly (AbortSignal | undefined)[],
    act: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    return withLinkedSignal([...given, this.#setup.stopped], (signal) =>
      this.#turns.run(() => act(signal), signal),
    );
  }
}

/** The named options. Later changes of the given lists have no effect. */
function copyOf<Q extends object>(changes: Changes<Q>): Changes<Q> {
  const named = Object.entries(changes).filter(([, value]) => value !== undefined);
  const copies = named.map(([name, value]) => [name, Array.isArray(value) ? [...value] : value]);
  return Object.fromEntries(copies) as Changes<Q>;
}
