import { type CelType, dynType, typeOfType } from '../types/cel-type.ts';
import { ObjectValue } from './value.ts';

const anyType = typeOfType(dynType);

/** A type as a value: `type(self.port) == int`. Comparisons ignore type parameters. */
export class TypeValue extends ObjectValue {
  readonly name: string;

  constructor({ name }: CelType) {
    super();
    this.name = name === 'null' ? 'null_type' : name;
  }

  get type(): CelType {
    return anyType;
  }

  override toString(): string {
    return this.name;
  }
}
