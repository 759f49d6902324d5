import type { ManagedController } from '../controller/managed-controller.ts';
import { ManagerError } from '../errors.ts';

/** The controllers of a manager by name; starts and stops all of them. */
export class ControllerSet {
  readonly #byName = new Map<string, ManagedController<never>>();
  /** The controllers that `end` stopped. */
  #ended: readonly ManagedController<never>[] = [];

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

  remove(name: string): void {
    this.#byName.delete(name);
  }

  /** Opens the watches. Resolves when each required one has synced, or the server does not serve or allow its kind. */
  async fill(): Promise<void> {
    const controllers = this.#all();
    for (const controller of controllers) controller.fill();
    await Promise.all(controllers.map((controller) => controller.settled()));
  }

  /**
   * Starts the workers of each controller after its sync. Resolves when all have started and rejects when one fails;
   * `failed` is called for each failure.
   */
  async run(failed: (error: unknown) => void): Promise<void> {
    const runs = this.#all().map((controller) => controller.run());
    for (const run of runs) run.catch(failed);
    await Promise.all(runs);
  }

  async end(milliseconds: number): Promise<void> {
    this.#ended = this.#all();
    await Promise.all(this.#ended.map((controller) => controller.end(milliseconds)));
  }

  /** The names of the stopped controllers with reconciles that still run. */
  busy(): string[] {
    return this.#ended.filter(({ running }) => running > 0).map(({ name }) => name);
  }

  /** Throws `NOT_READY` while a required watch has not synced, or the server does not serve or allow its kind. */
  checkReady(): void {
    const unready = this.#all().flatMap((controller) => controller.unready());
    const [first] = unready;
    if (first === undefined) return;
    const { error, ...facts } = first;
    throw new ManagerError('NOT_READY', { ...facts, unready: unready.length }, { cause: error });
  }

  #all(): ManagedController<never>[] {
    return [...this.#byName.values()];
  }
}
