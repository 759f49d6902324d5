import { hasCode } from '@keelson/apimachinery';
import type { InformerCache } from '@keelson/informer';
import { createLogger, createManager, type Manager } from '@keelson/manager';
import type { VirtualClock } from '../clock/virtual-clock.ts';
import type { Report } from '../invariants/invariant.ts';
import { simulatedClient } from '../server/simulated-client.ts';
import type { SimulatedServer } from '../server/simulated-server.ts';
import { BACKOFF } from './backoff-model.ts';
import { setUp, shapeOf } from './controller-setup.ts';
import { SimulatedController, type Run } from './simulated-controller.ts';

/** The parts of a run that a manager needs. */
export interface ManagedWorldHost {
  readonly server: SimulatedServer;
  readonly cache: InformerCache;
  readonly clock: VirtualClock;
  readonly report: Report;
  readonly trace: (line: string) => void;
}

const GRACE_PERIOD_MS = 25_000;

/** A manager and its controllers. */
export class ManagedWorld {
  readonly controllers: SimulatedController[] = [];
  /** The removals and stops that have not ended. */
  pending = 0;
  readonly #host: ManagedWorldHost;
  readonly #manager: Manager;
  readonly #running = new Map<string, Map<string, Run>>();
  #started: Promise<void> | undefined;

  constructor(host: ManagedWorldHost) {
    this.#host = host;
    this.#manager = createManager({
      cache: host.cache,
      client: simulatedClient(host.server),
      logger: createLogger({ level: 'silent' }),
      stopSignals: [],
      gracePeriod: GRACE_PERIOD_MS,
      controllers: { backoff: BACKOFF, cacheSyncTimeout: 0 },
    });
  }

  get live(): SimulatedController[] {
    return this.controllers.filter(({ isStopped }) => !isStopped);
  }

  start(): boolean {
    if (this.#started !== undefined) return false;
    this.#started = this.#manager.start().catch((error: unknown) => {
      this.#host.report('defect', `the manager failed: ${String(error)}`);
    });
    return true;
  }

  /** Adds a controller whose name is free. */
  add(name: string, n: number, random: () => number): SimulatedController | undefined {
    const running = this.#running.get(name) ?? new Map<string, Run>();
    this.#running.set(name, running);
    const { server, clock, report, trace } = this.#host;
    const knowsReasons = shapeOf(n) === 1;
    const simulated = new SimulatedController({
      name,
      server,
      clock,
      report,
      trace,
      random,
      running,
      knowsReasons,
    });
    try {
      simulated.attach(this.#manager.addController(setUp(simulated, n)));
    } catch (error) {
      if (hasCode(error, 'DUPLICATE_CONTROLLER')) return undefined;
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
    for (const controller of this.controllers) controller.calm();
  }

  checkWakeUps(): void {
    for (const controller of this.controllers) controller.checkWakeUps();
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
