import { ObjectValue } from './object-value.ts';

/** A value of a type that Kubernetes adds to the language: a quantity, an address. */
export abstract class LibraryValue extends ObjectValue {
  /** The text by which values of the type are equal. */
  abstract override toString(): string;
}
