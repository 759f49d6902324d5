import type { CelType } from '../types/cel-type.ts';

/** A value that JavaScript has no type of its own for. */
export abstract class ObjectValue {
  abstract readonly type: CelType;

  toString(): string {
    return this.type.name;
  }
}
