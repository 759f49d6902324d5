import type { SteeredController } from '../inspector/actions.ts';
import type { InspectedController } from '../inspector/inspected-manager.ts';
import type { ControllerExplanation, Explanation } from '../explain/explanation.ts';
import type { ManagedController } from '../controller/managed-controller.ts';
import { checkRemoveOptions, type RemoveOptions } from '../source-set/dynamic-watch.ts';
import type { FleetCluster } from '../source-set/source-factory.ts';
import type { SourceOptions } from '../sources/source-options.ts';
import type { WatchDefaults } from '../sources/watch-defaults.ts';
import type { WorkPhase } from '../controller/controller-options.ts';
import { ManagerError } from '../errors.ts';
import type { HealthChecks } from '../servers/health-checks.ts';
import { failureFacts } from '../logging/failure-facts.ts';
import type { Logger } from '../logging/logger.ts';

/** The controllers of a manager by name; starts and stops all of them. */
export class ControllerSet {
  readonly #byName = new Map<string, ManagedController<never>>();
  /** The controllers that `end` stopped, and removed ones with reconciles that still run. */
  readonly #ended = new Set<ManagedController<never>>();

  get names(): string[] {
    return [...this.#byName.keys()];
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  add<Q extends object>(controller: ManagedController<Q>): void {
    // The start and stop of a controller do not depend on the type of its requests.
    this.#byName.set(controller.name, controller as unknown as ManagedController<never>);
  }

  /** Frees the name. Reconciles that outlive the controller still count for `end`, `busy` and `earlierRuns`. */
  remove(name: string): void {
    const controller = this.#byName.get(name);
    this.#byName.delete(name);
    if (controller === undefined || controller.running === 0) return;
    this.#ended.add(controller);
    void controller.idle().then(() => this.#ended.delete(controller));
  }

  /** The ends of the running reconciles of removed controllers of the name, by the keys of their requests. */
  earlierRuns(name: string): Map<string, Promise<void>> {
    const earlier = new Map<string, Promise<void>>();
    for (const controller of this.#ended) {
      if (controller.name !== name) continue;
      for (const [key, ended] of controller.runs()) {
        earlier.set(key, ended);
        void ended.then(() => earlier.delete(key));
      }
    }
    return earlier;
  }

  /** The queries that the controllers watch in the main cluster. */
  queries(): readonly SourceOptions[] {
    return this.#all().flatMap((controller) => controller.queries());
  }

  /** The controllers as the inspector reads them. */
  inspected(): readonly InspectedController[] {
    return this.#all();
  }

  /** The methods that the actions of the inspector call. Throws `UNKNOWN_CONTROLLER`. */
  steered(name: string): SteeredController {
    return this.#named(name).steered();
  }

  /** Explains every controller. */
  explain(): ControllerExplanation[] {
    return this.#all().map((controller) => controller.explain());
  }

  /** Explains a request of a controller, given or by its key. Throws `UNKNOWN_CONTROLLER`. */
  explainRequest(name: string, request: object | string): Explanation {
    const controller = this.#named(name);
    if (typeof request === 'string') return controller.explainKey(request);
    return controller.explain(request as never);
  }

  /** Opens the watches. Resolves when each required one has synced, or the server does not serve or allow its kind. */
  async fill(): Promise<void> {
    const controllers = this.#all();
    for (const controller of controllers) controller.fill();
    await Promise.all(controllers.map((controller) => controller.settled()));
  }

  /**
   * Starts the workers of each controller of the phase after its sync, and opens the sources of the phase. Resolves
   * when all have started and rejects when one fails; `failed` is called for each failure.
   */
  async run(phase: WorkPhase, failed: (error: unknown) => void): Promise<void> {
    const runs = this.#all().map((controller) => controller.run(phase));
    for (const run of runs) run.catch(failed);
    await Promise.all(runs);
  }

  /** Runs a controller that was added at run time, and stops only this controller if it cannot start. */
  runAdded<Q extends object>(
    controller: ManagedController<Q>,
    phase: WorkPhase,
    log: Logger,
  ): void {
    controller.run(phase).catch((error: unknown) => {
      log.error(
        { controller: controller.name, ...failureFacts(error) },
        'controller did not start',
      );
      void controller.stop();
    });
  }

  /** Opens the sources with `clusters` in a cluster that was added. */
  engage(cluster: FleetCluster): void {
    for (const controller of this.#all()) controller.engage(cluster);
  }

  /** Removes the watches of a cluster. Resolves at the end of the removal barrier of every controller. */
  async leaveCluster(cluster: string): Promise<void> {
    await Promise.all(this.#all().map((controller) => controller.leaveCluster(cluster)));
  }

  /** Replaces the namespaces of the manager. Resolves when the reconciles of those that left have ended. */
  async setNamespaces(
    defaults: WatchDefaults,
    namespaces: readonly string[],
    options: RemoveOptions = {},
  ): Promise<void> {
    checkRemoveOptions(options, 'setNamespaces');
    defaults.setNamespaces(namespaces);
    await Promise.all(this.#all().map((controller) => controller.follow(options)));
  }

  /** Stops the controllers of the phase. A second call may end the grace period earlier. */
  async end(phase: WorkPhase, milliseconds: number): Promise<void> {
    for (const controller of this.#ofPhase(phase)) this.#ended.add(controller);
    const ended = [...this.#ended].filter((controller) => controller.phase === phase);
    await Promise.all(
      ended.flatMap((controller) => [
        controller.drained(milliseconds),
        controller.end(milliseconds),
      ]),
    );
  }

  /** Makes all watches follow a change of the slots whose objects this replica caches. It does not reject. */
  readonly followParts = async (): Promise<void> => {
    await Promise.all(this.#all().map((controller) => controller.followParts()));
  };

  /** Watches the clusters whose slots this replica has claimed, and no others. */
  readonly followClusters = (): void => {
    for (const controller of this.#all()) controller.followClusters();
  };

  /** Resolves when the watches of all clusters have synced, or their servers do not serve or allow the kinds. */
  readonly clustersSettled = async (): Promise<void> => {
    await Promise.all(this.#all().map((controller) => controller.clustersSettled()));
  };

  /** Drops the requests that wait for slots that another replica runs. */
  readonly dropMoved = (): void => {
    for (const controller of this.#all()) controller.dropMoved();
  };

  /** Queues the requests of slots that this replica runs from now on. */
  readonly started = (slots: readonly number[]): void => {
    const started = new Set(slots);
    for (const controller of this.#all()) controller.startSlots(started);
  };

  /** Drops the requests of slots that leave this replica. `drained` is called when the last run of a slot has ended. */
  readonly draining = (slots: readonly number[], drained: (slot: number) => void): void => {
    const leaving = new Set(slots);
    const runs = [...this.#all(), ...this.#ended].flatMap((one) => one.leaveSlots(leaving));
    const bySlot = Map.groupBy(runs, ([slot]) => slot);
    for (const slot of slots) {
      const ends = bySlot.get(slot)?.map(([, ended]) => ended);
      if (ends === undefined) drained(slot);
      else void Promise.all(ends).then(() => drained(slot));
    }
  };

  /** The names of the stopped controllers of the phase with reconciles that still run. */
  busy(phase: WorkPhase): string[] {
    const busy = [...this.#ended].filter((one) => one.phase === phase && one.running > 0);
    return [...new Set(busy.map(({ name }) => name))];
  }

  /** Adds the checks of the controllers to `/readyz`. */
  addChecks(ready: Pick<HealthChecks, 'add'>): void {
    ready.add('caches', () => this.#checkReady());
    ready.add(
      'reconciled',
      () => this.#checkReconciled(),
      () => this.#initialRequestsText(),
    );
  }

  /** Throws `NOT_READY` while a required watch has not synced, or the server does not serve or allow its kind. */
  #checkReady(): void {
    const unready = this.#all().flatMap((controller) => controller.unready());
    const [first] = unready;
    if (first === undefined) return;
    const { error, ...facts } = first;
    throw new ManagerError('NOT_READY', { ...facts, unready: unready.length }, { cause: error });
  }

  /** Throws `NOT_RECONCILED` while initial requests of a controller whose readiness depends on them have not run. */
  #checkReconciled(): void {
    const first = this.#all().find((controller) => controller.initialRequests() > 0);
    // Without the number, so that the log has one line and not one for each probe.
    if (first !== undefined) throw new ManagerError('NOT_RECONCILED', { controller: first.name });
  }

  #initialRequestsText(): string {
    const left = this.#all().reduce((sum, controller) => sum + controller.initialRequests(), 0);
    return `${left} initial requests left`;
  }

  #named(name: string): ManagedController<never> {
    const controller = this.#byName.get(name);
    if (controller !== undefined) return controller;
    throw new ManagerError('UNKNOWN_CONTROLLER', { controller: name, known: this.names });
  }

  #all(): ManagedController<never>[] {
    return [...this.#byName.values()];
  }

  #ofPhase(phase: WorkPhase): ManagedController<never>[] {
    return this.#all().filter((controller) => controller.phase === phase);
  }
}
