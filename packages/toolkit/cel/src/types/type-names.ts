import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  objectType,
  opaqueType,
  stringType,
  timestampType,
  typeOfType,
  typeParameter,
  typeType,
  uintType,
} from './cel-type.ts';
import { cidrType, ipType } from './function-declaration.ts';

/** The types that rules can name: `type(self.port) == int`. */
export const typeNames: ReadonlyMap<string, CelType> = new Map(
  [
    boolType,
    bytesType,
    doubleType,
    durationType,
    intType,
    listType(typeParameter('A')),
    mapType(typeParameter('A'), typeParameter('B')),
    stringType,
    timestampType,
    uintType,
    opaqueType('optional_type'),
    objectType('google.protobuf.Empty'),
    ipType,
    cidrType,
  ]
    .map((type) => [type.name, typeOfType(type)] as const)
    .concat([
      ['null_type', typeOfType(nullType)],
      ['type', typeOfType(typeType)],
    ]),
);

/** The types that the checker of kube-apiserver knows although they have no value; an expression with one has no program. */
export const valuelessTypeNames: ReadonlyMap<string, CelType> = new Map(
  Object.entries({
    duration: durationType,
    timestamp: timestampType,
    'google.protobuf.Any': objectType('any'),
    'google.protobuf.BoolValue': objectType('wrapper(bool)'),
    'google.protobuf.BytesValue': objectType('wrapper(bytes)'),
    'google.protobuf.DoubleValue': objectType('wrapper(double)'),
    'google.protobuf.FloatValue': objectType('wrapper(double)'),
    'google.protobuf.Int32Value': objectType('wrapper(int)'),
    'google.protobuf.Int64Value': objectType('wrapper(int)'),
    'google.protobuf.ListValue': listType(dynType),
    'google.protobuf.StringValue': objectType('wrapper(string)'),
    'google.protobuf.Struct': mapType(stringType, dynType),
    'google.protobuf.UInt32Value': objectType('wrapper(uint)'),
    'google.protobuf.UInt64Value': objectType('wrapper(uint)'),
    'google.protobuf.Value': dynType,
  }).map(([name, type]) => [name, typeOfType(type)]),
);

/** Returns the type of a name that is a type. */
export function typeNamed(name: string): CelType | undefined {
  return typeNames.get(name) ?? valuelessTypeNames.get(name);
}
