import { type CelType, dynType, optionalType } from '../types/cel-type.ts';
import { fail } from './evaluation-error.ts';
import { ObjectValue } from './value.ts';
import type { Value } from './value.ts';

const anyOptional = optionalType(dynType);

/** An optional value, such as the result of `self.?field`. */
export class Optional extends ObjectValue {
  static readonly none: Optional = new Optional(undefined);
  readonly #value: Value | undefined;

  private constructor(value: Value | undefined) {
    super();
    this.#value = value;
  }

  static of(value: Value | undefined): Optional {
    return value === undefined ? Optional.none : new Optional(value);
  }

  get type(): CelType {
    return anyOptional;
  }

  get hasValue(): boolean {
    return this.#value !== undefined;
  }

  get value(): Value {
    return this.#value === undefined ? fail('optional.none() dereference') : this.#value;
  }
}
