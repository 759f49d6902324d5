import { normalFieldSelector, normalLabelSelector, resourceId } from '@keelson/apimachinery';
import type { DynamicWatch, RemoveOptions } from './controller.ts';
import { ManagerError } from '../errors.ts';
import { checkSourceOptions, type SourceOptions } from './sources/source-options.ts';

/** The controller's functions that add and change the watches of a set. */
export interface WatchSetHost<W> {
  add(options: W): DynamicWatch;
  /** Replaces the functions of a watch; returns false if user code has removed the watch. */
  update(watch: DynamicWatch, options: W): boolean;
}

/** Named sets of dynamic watches. `replace` applies the differences between the old and the new set. */
export class WatchSets<W extends object> {
  readonly #host: WatchSetHost<W>;
  readonly #sets = new Map<string, Map<string, DynamicWatch>>();

  constructor(host: WatchSetHost<W>) {
    this.#host = host;
  }

  /** Replaces a set. A failed change does not undo the others; `REPLACE_WATCHES_FAILED` names it at the end. */
  async replace(
    set: string,
    wanted: readonly W[],
    options: RemoveOptions,
  ): Promise<readonly DynamicWatch[]> {
    const before = this.#sets.get(set) ?? new Map<string, DynamicWatch>();
    const after = new Map<string, DynamicWatch>();
    const failures = new Failures();
    // New watches are added first, so that a stream that old and new watches share stays open.
    for (const watch of wanted) {
      failures.collect('failedToAdd', describe(watch), () => this.#join(watch, before, after));
    }
    if (after.size > 0) this.#sets.set(set, after);
    else this.#sets.delete(set);
    const gone = [...before].filter(([identity, watch]) => after.get(identity) !== watch);
    const removals = gone.map(([, watch]) =>
      failures.collectAsync('failedToRemove', watch.name, watch.remove(options)),
    );
    await Promise.all(removals);
    failures.throwIfAny(set);
    return [...after.values()];
  }

  #join(options: W, before: Map<string, DynamicWatch>, after: Map<string, DynamicWatch>): void {
    const identity = identityOf(options);
    if (after.has(identity))
      throw new ManagerError('DUPLICATE_WATCH', { watch: describe(options) });
    const known = before.get(identity);
    if (known !== undefined) {
      // Kept before the update, which may throw: then the watch stays unchanged.
      after.set(identity, known);
      if (this.#host.update(known, options)) return;
    }
    after.set(identity, this.#host.add(options));
  }
}

class Failures {
  readonly failedToAdd: string[] = [];
  readonly failedToRemove: string[] = [];
  readonly #errors: unknown[] = [];

  collect(list: 'failedToAdd' | 'failedToRemove', name: string, step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#add(list, name, error);
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
      this.#add(list, name, error);
    }
  }

  throwIfAny(set: string): void {
    if (this.#errors.length === 0) return;
    const { failedToAdd, failedToRemove } = this;
    const cause = this.#errors.length === 1 ? this.#errors[0] : new AggregateError(this.#errors);
    throw new ManagerError(
      'REPLACE_WATCHES_FAILED',
      { set, failedToAdd, failedToRemove },
      { cause },
    );
  }

  #add(list: 'failedToAdd' | 'failedToRemove', name: string, error: unknown): void {
    this[list].push(name);
    this.#errors.push(error);
  }
}

/** The identity of a watch in its set: all options except functions. */
function identityOf(watch: object): string {
  checkSourceOptions(watch as SourceOptions, 'watch', 'watch');
  const options = watch as SourceOptions;
  const { labelSelector = '', fieldSelector = '' } = options;
  return JSON.stringify([
    resourceId(options.resource),
    options.namespace ?? '',
    normalLabelSelector(labelSelector),
    normalFieldSelector(fieldSelector),
    options.projection ?? 'full',
    options.transform?.name,
    options.indexers?.map(({ name }) => name),
    options.retain,
    options.pageSize,
    options.resync,
    options.ignoreOwn === true,
    options.sharing ?? 'views',
    options.priority,
    options.required ?? false,
  ]);
}

/** The name of a watch for an error. The value may be of any type. */
function describe(watch: object): string {
  const { resource } = (watch ?? {}) as Partial<SourceOptions>;
  return `watch ${resource?.kind ?? '(no resource)'}`;
}
