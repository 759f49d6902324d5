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
  optionalType,
  stringType,
  timestampType,
  typeOfType,
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
    listType(dynType),
    mapType(dynType, dynType),
    stringType,
    timestampType,
    typeType,
    uintType,
    optionalType(dynType),
    ipType,
    cidrType,
  ]
    .map((type) => [type.name, typeOfType(type)] as const)
    .concat([['null_type', typeOfType(nullType)]]),
);
