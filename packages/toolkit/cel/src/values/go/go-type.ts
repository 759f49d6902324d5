import { Duration } from '../duration.ts';
import { SchemaList } from '../list-value.ts';
import { MessageValue } from '../message-value.ts';
import { MadeMap, MapValue } from '../map-value.ts';
import { Optional } from '../optional.ts';
import { Timestamp } from '../timestamp.ts';
import { TypeValue } from '../type-value.ts';
import { UnsignedInt } from '../unsigned-int.ts';
import { LibraryValue, type Value } from '../value.ts';

/** Returns the Go type of a value, which some error messages of kube-apiserver contain: `types.Int`. */
export function goTypeOf(value: Value): string {
  switch (typeof value) {
    case 'string':
      return 'types.String';
    case 'bigint':
      return 'types.Int';
    case 'number':
      return 'types.Double';
    case 'boolean':
      return 'types.Bool';
    default:
      return goTypeOfObject(value);
  }
}

function goTypeOfObject(value: Exclude<Value, string | bigint | number | boolean>): string {
  if (value === null) return 'types.Null';
  if (value instanceof Uint8Array) return 'types.Bytes';
  if (value instanceof UnsignedInt) return 'types.Uint';
  if (value instanceof Timestamp) return 'types.Timestamp';
  if (value instanceof Duration) return 'types.Duration';
  if (value instanceof Optional) return '*types.Optional';
  if (value instanceof TypeValue) return '*types.Type';
  if (value instanceof LibraryValue || value instanceof MessageValue) return value.goType;
  if (value instanceof SchemaList) return '*common.unstructuredList';
  if (value instanceof MadeMap) return '*types.baseMap';
  return value instanceof MapValue ? '*common.unstructuredMap' : '*types.baseList';
}
