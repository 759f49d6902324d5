import {
  isConflict,
  keyOf,
  type ApiResource,
  type DeepReadonly,
  type KubernetesObject,
} from '@keelson/apimachinery';
import PQueue from 'p-queue';
import { ClientError } from '../errors.ts';

/** A request about one object. */
interface Target {
  readonly resource: ApiResource;
  readonly object: DeepReadonly<KubernetesObject>;
}

/** Attempts before a conflict is thrown, as many as client-go's `DefaultRetry` makes. */
const MAX_ATTEMPTS = 5;
/** The most objects that an error names. */
const MAX_NAMES = 10;

/** Runs the requests of one call of `applyAll`, a limited number at a time. */
export class SetTasks {
  readonly #queue: PQueue;
  readonly #signal: AbortSignal | undefined;

  constructor(concurrency: number, signal: AbortSignal | undefined) {
    this.#queue = new PQueue({ concurrency });
    this.#signal = signal;
  }

  /** Runs a task for each item. The first error rejects when the tasks that run have ended; the others do not begin. */
  async all<Item, Result>(
    items: readonly Item[],
    task: (item: Item) => Promise<Result>,
  ): Promise<Result[]> {
    const errors: unknown[] = [];
    const results = await this.#run(items, async (item) => {
      if (errors.length > 0) return undefined;
      try {
        return await task(item);
      } catch (error) {
        errors.push(error);
        return undefined;
      }
    });
    if (errors.length > 0) throw errors[0];
    return results as Result[];
  }

  /**
   * Runs a step for each object. An error does not keep the other objects of the list from their step; then the call
   * rejects with `APPLY_ALL_FAILED`.
   */
  async each<Item extends Target, Result>(
    step: 'apply' | 'prune',
    items: readonly Item[],
    task: (item: Item) => Promise<Result>,
  ): Promise<Result[]> {
    const failures: { readonly name: string; readonly error: unknown }[] = [];
    const results = await this.#run(items, async (item) => {
      try {
        return await task(item);
      } catch (error) {
        failures.push({ name: `${item.resource.kind} ${keyOf(item.object)}`, error });
        return undefined;
      }
    });
    if (failures.length === 0) return results as Result[];
    this.#signal?.throwIfAborted();
    const failed = failures.slice(0, MAX_NAMES).map(({ name }) => name);
    const count = failures.length;
    const errors = failures.map(({ error }) => error);
    const cause = errors.length === 1 ? errors[0] : new AggregateError(errors);
    throw new ClientError('APPLY_ALL_FAILED', { step, count, failed }, { cause });
  }

  async #run<Item, Result>(
    items: readonly Item[],
    task: (item: Item) => Promise<Result>,
  ): Promise<Result[]> {
    this.#signal?.throwIfAborted();
    return Promise.all(items.map((item) => this.#queue.add(() => task(item))));
  }
}

/**
 * Sends a write that names a resourceVersion. After a conflict `next` reads the object and returns the version for the
 * next attempt, or `undefined` if there is nothing left to write.
 */
export async function withVersion<Version, Result>(
  first: Version,
  write: (version: Version) => Promise<Result>,
  next: () => Promise<Version | undefined>,
): Promise<Result | undefined> {
  let version: Version | undefined = first;
  for (let attempt = 1; version !== undefined; attempt += 1) {
    try {
      return await write(version);
    } catch (error) {
      if (!isConflict(error) || attempt === MAX_ATTEMPTS) throw error;
      version = await next();
    }
  }
  return undefined;
}
