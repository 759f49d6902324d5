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
import { ObjectValue } from './value.ts';
import type { Value } from './value.ts';

/** Returns the type of a value; for lists and maps without the types of their elements. */
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
