import type { Clock } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import type { ManagerError } from '../errors.ts';
import type { Logger } from '../logging/logger.ts';
import type { ManagerMetrics } from '../metrics/manager-metrics.ts';
import type { Phase } from '../phases/phase.ts';
import type { HealthChecks } from '../servers/health-checks.ts';
import type { LeaderElectionSettings } from './leader-election-options.ts';
import { LeaderElection } from './leader-election.ts';
import type { LeaderChange, Tracing } from '../tracing/tracing.ts';

export interface LeadershipHost {
  readonly client: Client;
  readonly log: Logger;
  readonly clock: Clock;
  readonly metrics: Pick<ManagerMetrics, 'election'>;
  readonly health: Pick<HealthChecks, 'add'>;
  readonly tracing: Pick<Tracing, 'record'> | undefined;
  /** Called when another process may become the leader. Writes of the phase `leader` are already refused. */
  readonly lost: (error: ManagerError) => void;
}

/** The begin and the error of a change. */
interface ChangeFacts {
  readonly startedAt?: number;
  readonly error?: unknown;
}

/** Permits a manager to run its phase `leader`: always, or while its leader election holds the Lease. */
export class Leadership {
  readonly #client: Client;
  readonly #election: LeaderElection | undefined;
  readonly #record: (change: LeaderChange['change'], facts?: ChangeFacts) => void;
  #wasLost = false;

  constructor(settings: LeaderElectionSettings | undefined, host: LeadershipHost) {
    this.#client = host.client;
    this.#record = (change, { startedAt = performance.now(), error } = {}) => {
      if (settings === undefined) return;
      const { lease, identity } = settings;
      const endedAt = performance.now();
      host.tracing?.record({ type: 'leader', change, lease, identity, startedAt, endedAt, error });
    };
    if (settings === undefined) return;
    const election: LeaderElection = new LeaderElection(settings, {
      client: host.client,
      log: host.log,
      clock: host.clock,
      observer: host.metrics.election(settings.lease, () => election.isLeader),
      lost: (error) => {
        this.#wasLost = true;
        this.#record('lost', { error });
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
    if (this.#election === undefined) return true;
    const startedAt = performance.now();
    const isLeader = await this.#election.acquire();
    if (isLeader) this.#record('acquired', { startedAt });
    return isLeader;
  }

  /** Ends the wait of `acquire`. */
  stopWaiting(): void {
    this.#election?.stopWaiting();
  }

  /** Ends the leadership after its work; see `LeaderElection.end`. */
  async end(milliseconds: number, stillRunning: readonly string[]): Promise<void> {
    const { isLeader } = this;
    const startedAt = performance.now();
    await this.#election?.end(milliseconds, stillRunning);
    if (isLeader === true) this.#record('ended', { startedAt });
  }
}
