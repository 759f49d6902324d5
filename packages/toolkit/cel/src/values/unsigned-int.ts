import { type CelType, uintType } from '../types/cel-type.ts';
import { fail } from './evaluation-error.ts';
import { ObjectValue } from './value.ts';

/** A CEL uint: `1u`. */
export class UnsignedInt extends ObjectValue {
  readonly value: bigint;

  constructor(value: bigint) {
    super();
    if (value < 0n || value >= 1n << 64n) fail('unsigned integer overflow');
    this.value = value;
  }

  get type(): CelType {
    return uintType;
  }

  override toString(): string {
    return String(this.value);
  }
}
