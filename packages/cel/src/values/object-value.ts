import type { CelType } from '../types/cel-type.ts';

/** A value of a CEL type that JavaScript does not have. */
export abstract class ObjectValue {
  abstract readonly type: CelType;

  toString(): string {
    return this.type.name;
  }
}
