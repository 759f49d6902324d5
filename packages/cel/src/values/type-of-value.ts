import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  intType,
  nullType,
  stringType,
} from '../types/cel-type.ts';
import { anyList } from './list-value.ts';
import { ObjectValue } from './object-value.ts';
import type { Value } from './value.ts';

/** The type of a value, as far as the value shows it: of a list not what it holds. */
export function typeOfValue(value: Value): CelType {
  switch (typeof value) {
    case 'string':
      return stringType;
    case 'bigint':
      return intType;
    case 'number':
      return doubleType;
    case 'boolean':
      return boolType;
    default:
      return typeOfObject(value);
  }
}

function typeOfObject(value: Exclude<Value, string | bigint | number | boolean>): CelType {
  if (value === null) return nullType;
  if (value instanceof ObjectValue) return value.type;
  return value instanceof Uint8Array ? bytesType : anyList;
}
