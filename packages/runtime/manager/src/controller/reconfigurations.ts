import { abortable, withLinkedSignal, type KubernetesObject } from '@keelson/apimachinery';
import type { LimitOptions } from '@keelson/workqueue';
import { ManagerError } from '../errors.ts';
import type { ControllerSources } from './controller-sources.ts';
import type { ControllerHost } from './controller-host.ts';
import type { ControllerOptions, ControllerSettings } from './controller-options.ts';
import { limitsOf } from '../run/queue-options.ts';
import { namespaceSet } from './sources/namespace-set.ts';
import { SourceRemoval, type RequestQueue } from './sources/source-removal.ts';
import { unreadySources } from './sources/unready-source.ts';
import { SyncWait } from './life/sync-wait.ts';
import {
  checkChanges,
  namesCluster,
  reconfigured,
  withoutCluster,
  type Changes,
  type ReconfigureOptions,
  type ReconfigureResult,
} from './reconfiguration.ts';
import { SourceExchange, type ReassignableQueue } from './exchange/source-exchange.ts';
import { Turns } from './exchange/turns.ts';

/** The queue and the workers of a controller, whose settings change. */
interface ConfigurableLoop<Q extends object> extends RequestQueue, ReassignableQueue<Q> {
  configure(settings: ControllerSettings, limits: LimitOptions | undefined): void;
}

export interface ReconfigurationsOptions<Q extends object> {
  readonly options: ControllerOptions<KubernetesObject, Q>;
  readonly sources: ControllerSources<Q>;
  readonly loop: ConfigurableLoop<Q>;
  readonly host: Pick<ControllerHost, 'callScope' | 'log' | 'settingsOf'>;
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
  readonly #removal: SourceRemoval;
  readonly #turns = new Turns();
  /** Aborts when the controller stops. */
  readonly #stopped = new AbortController();
  /** The options in force. */
  #options: ControllerOptions<KubernetesObject, Q>;
  /** The accepted changes that are not in force yet, in their order. An abort gives one up. */
  readonly #pending = new Map<Changes<Q>, AbortController>();

  constructor(setup: ReconfigurationsOptions<Q>) {
    this.#setup = setup;
    this.#options = setup.options;
    this.#removal = new SourceRemoval(setup.loop, setup.host.callScope);
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
    const { result, removed } = await this.#inTurn([bounds.signal, refusal.signal], (signal) =>
      this.#apply(changes, bounds.signal, signal),
    ).finally(() => this.#pending.delete(changes));
    await removed;
    return result;
  }

  /**
   * Calls a function after the changes that were accepted before, and waits for it. Later ones do not wait for it. Rejects
   * if the controller stops before the call.
   */
  async inTurn(act: () => Promise<void>): Promise<void> {
    if (this.#pending.size === 0) return act();
    const { ended } = await this.#inTurn([], async () => ({ ended: act() }));
    await ended;
  }

  /** Leaves the sources of a removed cluster out of later changes. Gives up the changes that name it. */
  leaveCluster(cluster: string): void {
    this.#options = withoutCluster(this.#options, cluster);
    for (const [changes, refusal] of this.#pending) {
      if (!namesCluster(changes, cluster)) continue;
      refusal.abort(new ManagerError('UNKNOWN_CLUSTER', { cluster }));
    }
  }

  /** Gives up the changes that are not in force. */
  stop(reason: Error): void {
    this.#stopped.abort(reason);
  }

  /** `signal` gives the change up; `given` ends the wait for the runs of the former watches. */
  async #apply(
    changes: Changes<Q>,
    given: AbortSignal | undefined,
    signal: AbortSignal,
  ): Promise<Applied> {
    signal.throwIfAborted();
    const { host, loop, sources } = this.#setup;
    const options = reconfigured(this.#options, changes);
    const settings = host.settingsOf(options, 'reconfigure');
    const namespaces =
      changes.namespaces && namespaceSet(changes.namespaces, 'reconfigure.namespaces');
    const exchange = new SourceExchange(sources, loop, {
      plans: sources.plansOf(options, settings),
      namespaces,
    });
    try {
      if (!exchange.isReady) await this.#prepare(exchange, settings, signal);
    } catch (error) {
      // The runs that the new watches have caused meanwhile may still read their objects.
      void this.#removal.remove(exchange.discard(), undefined);
      throw error;
    }
    const changed = Object.keys(changes);
    const { left, ended, difference } = exchange.commit();
    const ends = ended.map((source) => sources.removals.endOf(source));
    // Before a free worker takes a request that only they caused.
    const removed = this.#removal.remove([...left, ...ends], given);
    sources.configure(settings);
    const changesLimits = changed.some((name) => limitNames.has(name));
    loop.configure(settings, changesLimits ? limitsOf(options.rateLimiter, settings) : undefined);
    // A cluster may have been removed meanwhile.
    this.#options = reconfigured(this.#options, changes);
    const { started, kept, stopped } = difference;
    host.log.info({ changed, started, kept: kept.length, stopped }, 'controller reconfigured');
    return { removed, result: { changed, ...difference } };
  }

  /** Waits until the new watches have synced, while the present ones are in force. */
  async #prepare(
    exchange: SourceExchange<Q>,
    { cacheSyncTimeout: timeout }: ControllerSettings,
    signal: AbortSignal,
  ): Promise<void> {
    const { options, host } = this.#setup;
    const unready = (): ReturnType<typeof unreadySources> => unreadySources(exchange.awaited);
    const { name } = options;
    const { log } = host;
    const wait = new SyncWait({ controller: name, timeout, log, unready, limitsFurther: true });
    await abortable(wait.until(exchange.synced()), [signal]);
    await exchange.compare(signal);
    // A watch may have been added meanwhile.
    signal.throwIfAborted();
  }

  /** Code of a run that waits here keeps no removal waiting. */
  #inTurn<Result>(
    given: readonly (AbortSignal | undefined)[],
    act: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    return this.#setup.host.callScope.inBarrier(() =>
      withLinkedSignal([...given, this.#stopped.signal], (signal) =>
        this.#turns.run(() => act(signal), signal),
      ),
    );
  }
}

/** The named options. Later changes of the given lists have no effect. */
function copyOf<Q extends object>(changes: Changes<Q>): Changes<Q> {
  const named = Object.entries(changes).filter(([, value]) => value !== undefined);
  const copies = named.map(([name, value]) => [name, Array.isArray(value) ? [...value] : value]);
  return Object.fromEntries(copies) as Changes<Q>;
}
