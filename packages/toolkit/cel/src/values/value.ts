import type { CelType } from '../types/cel-type.ts';

/** A value of an expression. A bigint is an int, a number is a double. */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | readonly Value[]
  | ObjectValue;

/** A value of a CEL type that JavaScript does not have. */
export abstract class ObjectValue {
  abstract readonly type: CelType;

  toString(): string {
    return this.type.name;
  }
}

/** A value of a type that Kubernetes adds to CEL, such as a quantity or an address. */
export abstract class LibraryValue extends ObjectValue {
  /** The Go type of the value in error messages. */
  abstract readonly goType: string;
  /** The type and text of the value in Go, which has no way back to CEL; `undefined` if it has one. */
  abstract readonly native: string | undefined;

  /** The size for the cost of calls. */
  get size(): number {
    return 1;
  }

  /** Returns a string that is equal for equal values. */
  abstract override toString(): string;
}
