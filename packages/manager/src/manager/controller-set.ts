import type { ManagedController } from '../controller/managed-controller.ts';
import { ManagerError } from '../errors.ts';

/** The controllers of a manager, by their names. */
export class ControllerSet {
  readonly #byName = new Map<string, ManagedController<never>>();
  /** Those that `end` ended, for what still runs of them. */
  #ended: readonly ManagedController<never>[] = [];

  get names(): string[] {
    return [...this.#byName.keys()];
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  add<Q extends object>(controller: ManagedController<Q>): void {
    // Starting and stopping does not depend on the type of its requests.
    this.#byName.set(controller.name, controller as unknown as ManagedController<never>);
  }

  remove(name: string): void {
    this.#byName.delete(name);
  }

  /** Resolves when each required watch has synced, or is known not to be able to for now. */
  async fill(): Promise<void> {
    const controllers = this.#all();
    for (const controller of controllers) controller.fill();
    await Promise.all(controllers.map((controller) => controller.settled()));
  }

  /**
   * Workers begin, each controller's as soon as it has synced. Resolves when all have begun or one
   * cannot; `failed` is called for each that cannot.
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

  /** The names of those that were ended and whose reconciles run all the same. */
  busy(): string[] {
    return this.#ended.filter(({ running }) => running > 0).map(({ name }) => name);
  }

  /** Throws `NOT_READY` while a required watch has not synced, or cannot for now. */
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
