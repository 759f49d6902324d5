import type { Clock } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import type { ManagerError } from '../errors.ts';
import type { Logger } from '../logging/logger.ts';
import type { ManagerMetrics } from '../metrics/manager-metrics.ts';
import type { Phase } from '../phases/phase.ts';
import type { HealthChecks } from '../servers/health-checks.ts';
import type { LeaderElectionSettings } from './leader-election-options.ts';
import { LeaderElection } from './leader-election.ts';

export interface LeadershipHost {
  readonly client: Client;
  readonly log: Logger;
  readonly clock: Clock;
  readonly metrics: Pick<ManagerMetrics, 'election'>;
  readonly health: Pick<HealthChecks, 'add'>;
  /** Called when another process may become the leader. Writes of the phase `leader` are already refused. */
  readonly lost: (error: ManagerError) => void;
}

/** Permits a manager to run its phase `leader`: always, or while its leader election holds the Lease. */
export class Leadership {
  readonly #client: Client;
  readonly #election: LeaderElection | undefined;
  #wasLost = false;

  constructor(settings: LeaderElectionSettings | undefined, host: LeadershipHost) {
    this.#client = host.client;
    if (settings === undefined) return;
    const election: LeaderElection = new LeaderElection(settings, {
      client: host.client,
      log: host.log,
      clock: host.clock,
      observer: host.metrics.election(settings.lease, () => election.isLeader),
      lost: (error) => {
        this.#wasLost = true;
        host.lost(error);
      },
    });
    host.health.add('leader-election', () => election.checkHealth());
    this.#election = election;
  }

  /** `undefined` without leader election. */
  get isLeader(): boolean | undefined {
    return this.#election?.isLeader;
  }

  /** True once the Lease was lost, which ends the manager. */
  get wasLost(): boolean {
    return this.#wasLost;
  }

  /**
   * The client for work of a phase; by default that of the main cluster. Work of the phase `leader` writes only while
   * this process is the leader.
   */
  clientOf(phase: Phase, client: Client = this.#client): Client {
    if (phase !== 'leader' || this.#election === undefined) return client;
    return client.withWriteGuard(this.#election.guard);
  }

  /** Settles the namespace of the Lease. Throws `INVALID_OPTION` if neither the options nor the cluster name one. */
  useNamespaceOf(cluster: { readonly namespace?: string } | undefined): void {
    this.#election?.useNamespaceOf(cluster);
  }

  /** Resolves with true when the phase `leader` may run, and with false if the manager stops first. */
  async acquire(): Promise<boolean> {
    return this.#election === undefined || this.#election.acquire();
  }

  /** Ends the wait of `acquire`. */
  stopWaiting(): void {
    this.#election?.stopWaiting();
  }

  /** Ends the leadership after its work; see `LeaderElection.end`. */
  async end(milliseconds: number, stillRunning: readonly string[]): Promise<void> {
    await this.#election?.end(milliseconds, stillRunning);
  }
}
