import { type CelType, dynType, optionalType } from '../types/cel-type.ts';
import { fail } from './evaluation-error.ts';
import { isFailed, type Outcome } from './outcome.ts';
import { showValue } from './show-value.ts';
import { ObjectValue } from './value.ts';
import type { Value } from './value.ts';

const anyOptional = optionalType(dynType);

/** An optional value, such as the result of `self.?field`. */
export class Optional extends ObjectValue {
  static readonly none: Optional = new Optional(undefined);
  readonly #value: Outcome | undefined;

  private constructor(value: Outcome | undefined) {
    super();
    this.#value = value;
  }

  /** Creates an optional. One with an error is not empty, and fails when its value is read. */
  static of(value: Outcome | undefined): Optional {
    return value === undefined ? Optional.none : new Optional(value);
  }

  get type(): CelType {
    return anyOptional;
  }

  get hasValue(): boolean {
    return this.#value !== undefined;
  }

  /** The value or the error of an optional that is not empty. */
  get outcome(): Outcome {
    return this.#value ?? null;
  }

  get value(): Value {
    if (this.#value === undefined) return fail('optional.none() dereference');
    if (isFailed(this.#value)) throw this.#value;
    return this.#value;
  }

  override toString(): string {
    return this.hasValue ? `optional(${showValue(this.value)})` : 'optional.none()';
  }
}
