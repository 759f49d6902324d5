import { lazy } from '@keelson/structural-schema';
import { refinementsIn } from './library-parts.ts';
import type { Refinement } from './part-visitor.ts';
import type { StandardSchema } from './standard-schema.ts';

/**
 * Runs validations of a library, and notices refinements that return a promise. Libraries drop such a promise in a
 * synchronous validation, so that its rejection would end the process.
 */
export class WatchedRefinements {
  readonly #refinements: () => readonly Refinement[];

  constructor(schema: StandardSchema) {
    this.#refinements = lazy(() => refinementsIn(schema));
  }

  /**
   * Runs the validation with each refinement replaced, and puts the refinements back before it returns. A refinement
   * that returned a promise counts as passed, and the rejection of the promise is handled.
   */
  run<T>(validate: () => T): { readonly result: T; readonly isAsynchronous: boolean } {
    let isAsynchronous = false;
    const notice = (promise: Promise<unknown>): void => {
      isAsynchronous = true;
      promise.catch(() => undefined);
    };
    const restore = this.#refinements().map((refinement) => replace(refinement, notice));
    try {
      const result = validate();
      return { result, isAsynchronous };
    } finally {
      // A function that is reached twice was replaced twice; the first replacement has the original.
      for (const each of restore.toReversed()) each();
    }
  }
}

function replace(
  { owner, name }: Refinement,
  notice: (promise: Promise<unknown>) => void,
): () => void {
  const original = owner[name];
  if (typeof original !== 'function') return () => undefined;
  owner[name] = function watched(this: unknown, ...values: unknown[]): unknown {
    const result: unknown = Reflect.apply(original, this, values);
    if (!(result instanceof Promise)) return result;
    notice(result);
    // valibot reads it as passed, zod as no promise.
    return true;
  };
  return () => {
    owner[name] = original;
  };
}
