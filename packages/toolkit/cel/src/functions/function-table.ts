import type { Overload } from '../types/function-declaration.ts';
import type { Value } from '../values/value.ts';

/** How the functions of one name find their implementation at run time, where it is not by the types of all arguments. */
export interface Dispatch {
  /** One implementation for all overloads, which accepts a first argument of some kinds and chooses by itself. */
  readonly accepts?: (first: Value) => boolean;
  /** An overload that the checker does not know, for values of dynamic type. */
  readonly hidden?: Overload;
  /** The implementation checks its arguments itself. */
  readonly unguarded?: true;
}

/** All functions of an environment, by name. */
export class FunctionTable {
  readonly #byName = new Map<string, Overload[]>();
  readonly #dispatches: ReadonlyMap<string, Dispatch>;

  constructor(overloads: readonly Overload[], dispatches: ReadonlyMap<string, Dispatch>) {
    this.#dispatches = dispatches;
    for (const each of overloads) {
      const of = this.#byName.get(each.name) ?? [];
      of.push(each);
      this.#byName.set(each.name, of);
    }
  }

  dispatchOf(name: string): Dispatch {
    return this.#dispatches.get(name) ?? {};
  }

  /** Returns the overloads of a function; `undefined` for an unknown name. */
  overloadsOf(name: string): readonly Overload[] | undefined {
    return this.#byName.get(name);
  }

  get signatures(): readonly string[] {
    return [...this.#byName.values()].flat().map(({ signature }) => signature);
  }
}
