import { endsWithin, invalidOption, systemClock, type Clock } from '@keelson/apimachinery';
import type { Client, WriteGuard } from '@keelson/client';
import { ManagerError } from '../errors.ts';
import type { Logger } from '../logging/logger.ts';
import { electionTime } from './election-time.ts';
import type { LeaderElectionSettings } from './leader-election-options.ts';
import { LeaderElector, type ElectionObserver } from './leader-elector.ts';
import { ClientLeaseLock } from './lease-lock.ts';

export interface LeaderElectionHost {
  /** Reads and writes the Lease; not guarded. */
  readonly client: Client;
  readonly log: Logger;
  /** Default: the clock of the system. */
  readonly clock?: Clock;
  readonly observer: Pick<ElectionObserver, 'slowPath'>;
  /** Called when the leadership is lost. Writes of the leader are already refused. */
  readonly lost: (error: ManagerError) => void;
}

/** The leader election of a manager: takes the Lease, guards the writes of the leader, and frees the Lease. */
export class LeaderElection {
  readonly #settings: LeaderElectionSettings;
  readonly #log: Logger;
  readonly #elector: LeaderElector;
  readonly #stop = new AbortController();
  #namespace: string | undefined;

  constructor(settings: LeaderElectionSettings, host: LeaderElectionHost) {
    const { lease, identity, timings } = settings;
    this.#settings = settings;
    this.#namespace = settings.namespace;
    this.#log = host.log.child({ lease, identity });
    this.#elector = new LeaderElector({
      lock: new ClientLeaseLock({
        client: host.client,
        namespace: () => this.#namespace as string,
        name: lease,
        // Two attempts fit into the renew deadline, as in controller-runtime.
        timeout: timings.renewDeadline / 2,
      }),
      identity,
      timings,
      time: electionTime(host.clock ?? systemClock),
      log: this.#log,
      observer: { lost: host.lost, slowPath: () => host.observer.slowPath() },
    });
  }

  get isLeader(): boolean {
    return this.#elector.isLeader;
  }

  /** Permits the writes of the leader. */
  get guard(): WriteGuard {
    return this.#elector;
  }

  /** Settles the namespace of the Lease. Throws `INVALID_OPTION` if neither the options nor the cluster name one. */
  useNamespaceOf(cluster: { readonly namespace?: string } | undefined): void {
    this.#namespace ??= cluster?.namespace;
    if (this.#namespace !== undefined) return;
    const reason = 'must be given, because the cluster does not name a namespace';
    throw invalidOption('createManager.leaderElection.namespace', reason);
  }

  /** Resolves with true when this process is the leader, and with false if the manager stops first. */
  async acquire(): Promise<boolean> {
    const { signal } = this.#stop;
    this.#log.info({ namespace: this.#namespace }, 'waiting for the Lease');
    try {
      await this.#elector.acquire(signal);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      throw error;
    }
  }

  /** Ends the wait of `acquire`. */
  stopWaiting(): void {
    this.#stop.abort(new ManagerError('STOPPING'));
  }

  /**
   * Ends the leadership within this many milliseconds. Frees the Lease, unless components still run: another process
   * must not become the leader before their work has ended.
   */
  async end(milliseconds: number, stillRunning: readonly string[]): Promise<void> {
    this.stopWaiting();
    if (!this.#settings.releaseOnStop || stillRunning.length > 0) {
      const { isLeader } = this;
      this.#elector.abandon();
      if (isLeader) this.#log.info({ stillRunning }, 'left the Lease to expire');
      return;
    }
    const late = new AbortController();
    const released = this.#elector.release(late.signal).catch((error: unknown) => {
      this.#log.warn({ err: error }, 'the Lease was not released and will expire');
    });
    if (!(await endsWithin(released, milliseconds))) late.abort(new ManagerError('STOPPING'));
    await released;
  }

  /** Throws if the leader could not renew its Lease for much longer than its duration. */
  checkHealth(): void {
    this.#elector.checkHealth();
  }
}
