import { ObjectValue } from './object-value.ts';

/** A value of a type that Kubernetes adds to CEL, such as a quantity or an address. */
export abstract class LibraryValue extends ObjectValue {
  /** Returns a string that is equal for equal values. */
  abstract override toString(): string;
}
