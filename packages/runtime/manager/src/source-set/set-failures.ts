import { ManagerError } from '../errors.ts';

/** Collects the changes of a set of watches that failed. */
export class SetFailures {
  readonly failedToAdd: string[] = [];
  readonly failedToRemove: string[] = [];
  readonly #errors = new Set<unknown>();

  collect(list: 'failedToAdd' | 'failedToRemove', name: string, step: () => void): void {
    try {
      step();
    } catch (error) {
      this.add(list, name, error);
    }
  }

  async collectAsync(
    list: 'failedToAdd' | 'failedToRemove',
    name: string,
    step: Promise<void>,
  ): Promise<void> {
    try {
      await step;
    } catch (error) {
      this.add(list, name, error);
    }
  }

  throwIfAny(set: string): void {
    if (this.#errors.size === 0) return;
    const { failedToAdd, failedToRemove } = this;
    const [first, ...others] = this.#errors;
    const cause = others.length === 0 ? first : new AggregateError(this.#errors);
    throw new ManagerError(
      'REPLACE_WATCHES_FAILED',
      { set, failedToAdd, failedToRemove },
      { cause },
    );
  }

  add(list: 'failedToAdd' | 'failedToRemove', name: string, error: unknown): void {
    this[list].push(name);
    this.#errors.add(error);
  }
}
