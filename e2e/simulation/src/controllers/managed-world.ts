import { hasCode } from '@keelson/apimachinery';
import type { InformerCache } from '@keelson/informer';
import { createLogger, createManager, type Manager } from '@keelson/manager';
import type { VirtualClock } from '../clock/virtual-clock.ts';
import type { Report } from '../invariants/invariant.ts';
import { simulatedClient } from '../server/simulated-client.ts';
import { LEASE_MS, SELF } from '../server/simulated-lease.ts';
import type { SimulatedServer } from '../server/simulated-server.ts';
import { BACKOFF } from './backoff-model.ts';
import { namespacesOf, setUp, shapeOf } from './controller-setup.ts';
import { NamespaceEpochs } from './namespace-epochs.ts';
import { SimulatedController, type Run } from './simulated-controller.ts';

/** The parts of a run that a manager needs. */
export interface ManagedWorldHost {
  readonly server: SimulatedServer;
  readonly cache: InformerCache;
  readonly clock: VirtualClock;
  readonly report: Report;
  readonly trace: (line: string) => void;
  readonly hasElection: boolean;
}

const GRACE_PERIOD_MS = 25_000;

const leaderElection = { lease: 'lease', namespace: 'n1', identity: SELF, ...LEASE_MS };

/** A manager and its controllers. */
export class ManagedWorld {
  readonly controllers: SimulatedController[] = [];
  /** The removals and stops that have not ended. */
  pending = 0;
  readonly #host: ManagedWorldHost;
  readonly #manager: Manager;
  readonly #running = new Map<string, Map<string, Run>>();
  #started: Promise<void> | undefined;
  #hasLed = false;
  #hasEnded = false;

  constructor(host: ManagedWorldHost) {
    this.#host = host;
    this.#manager = createManager({
      cache: host.cache,
      client: simulatedClient(host.server),
      logger: createLogger({ level: 'silent' }),
      stopSignals: [],
      gracePeriod: GRACE_PERIOD_MS,
      controllers: { backoff: BACKOFF, cacheSyncTimeout: 0 },
      ...(host.hasElection ? { leaderElection } : {}),
    });
  }

  get live(): SimulatedController[] {
    return this.isOver ? [] : this.controllers.filter(({ isStopped }) => !isStopped);
  }

  /** True once the manager has lost the Lease, which ends it. */
  get isOver(): boolean {
    const { isLeader } = this.#manager;
    this.#hasLed ||= isLeader;
    this.#hasEnded ||= this.#hasLed && !isLeader;
    return this.#hasEnded;
  }

  start(): boolean {
    if (this.#started !== undefined) return false;
    this.#started = this.#manager.start().catch((error: unknown) => this.#failed(error));
    return true;
  }

  /** The manager may end with the loss of the Lease, and reports then what still ran. */
  #failed(error: unknown): void {
    const { report, server } = this.#host;
    const errors = error instanceof AggregateError ? error.errors : [error];
    const wasLost = errors.some((one) => hasCode(one, 'LEADERSHIP_LOST'));
    if (!wasLost) return report('defect', `the manager failed: ${String(error)}`);
    this.#hasEnded = true;
    if (!server.lease.hadTrouble) report('leader', 'the Lease is lost without a cause');
  }

  /** Adds a controller whose name is free. */
  add(name: string, n: number, random: () => number): SimulatedController | undefined {
    if (this.isOver) return undefined;
    const running = this.#running.get(name) ?? new Map<string, Run>();
    this.#running.set(name, running);
    const { server, clock, report, trace } = this.#host;
    const knowsReasons = ['watches', 'namespaces', 'own'].includes(shapeOf(n));
    const namespaces = namespacesOf(n);
    const simulated = new SimulatedController({
      name,
      server,
      clock,
      report,
      trace,
      random,
      running,
      knowsReasons,
      mayRun: () => !this.#host.hasElection || server.lease.holder === SELF,
      namespaces: namespaces && new NamespaceEpochs(namespaces),
    });
    try {
      simulated.attach(this.#manager.addController(setUp(simulated, n)));
    } catch (error) {
      if (hasCode(error, 'DUPLICATE_CONTROLLER') || this.isOver) return undefined;
      throw error;
    }
    this.controllers.push(simulated);
    return simulated;
  }

  /** Counts a removal or a stop until it has ended. */
  track(ending: Promise<unknown>): void {
    this.pending++;
    void ending.finally(() => this.pending--);
  }

  /** Ends the faults of reconciles. */
  calm(): void {
    this.start();
    this.#host.server.lease.calm();
    for (const controller of this.controllers) controller.calm();
  }

  checkWakeUps(report: Report): void {
    for (const controller of this.live) controller.checkWakeUps(report);
  }

  /** Stops the manager. Then no controller may have anything left. */
  async end(): Promise<void> {
    const { clock, report } = this.#host;
    for (const controller of this.controllers) controller.calm();
    let hasStopped = false;
    const stopped = this.#manager.stop().then(() => (hasStopped = true));
    await clock.pass(GRACE_PERIOD_MS);
    if (!hasStopped) return report('closed', 'the manager has not stopped in its grace period');
    await stopped;
    await this.#started;
    if (this.pending > 0) report('closed', `${this.pending} removals have not ended`);
    for (const { name, controller } of this.controllers) {
      const { length, running } = controller;
      if (length + running > 0)
        report('closed', `${name} has ${length} requests and ${running} runs`);
    }
  }
}
