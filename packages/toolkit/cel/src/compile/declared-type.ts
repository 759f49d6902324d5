import { invalidOption } from '@keelson/apimachinery';
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
  stringType,
  timestampType,
  uintType,
} from '../types/cel-type.ts';

const simpleTypes: ReadonlyMap<string, CelType> = new Map([
  ['bool', boolType],
  ['bytes', bytesType],
  ['double', doubleType],
  ['duration', durationType],
  ['dyn', dynType],
  ['int', intType],
  ['null', nullType],
  ['string', stringType],
  ['timestamp', timestampType],
  ['uint', uintType],
]);

const syntax = `must be one of ${[...simpleTypes.keys()].join(', ')}, list(T) or map(K, V)`;

/** Deeper than real declarations, and shallow enough for the call stack. */
const MAX_TYPE_DEPTH = 32;

/** Parses a declared type: `map(string, list(int))`. Throws `INVALID_OPTION`. */
export function declaredType(text: unknown, option: string): CelType {
  const type = typeof text === 'string' ? parseType(text.replaceAll(/\s/g, ''), 0) : undefined;
  if (type === undefined) throw invalidOption(option, syntax, { type: text });
  return type;
}

function parseType(text: string, depth: number): CelType | undefined {
  const simple = simpleTypes.get(text);
  if (simple !== undefined || depth > MAX_TYPE_DEPTH) return simple;
  const [, list, key, value] = /^(?:list\((.*)\)|map\((\w+),(.*)\))$/.exec(text) ?? [];
  if (list !== undefined) return parameterized(parseType(list, depth + 1), listType);
  const keyType = keyTypes.has(key ?? '') ? simpleTypes.get(key ?? '') : undefined;
  if (keyType === undefined || value === undefined) return undefined;
  return parameterized(parseType(value, depth + 1), (type) => mapType(keyType, type));
}

/** The types that CEL permits as map keys. */
const keyTypes: ReadonlySet<string> = new Set(['bool', 'int', 'string', 'uint']);

function parameterized(
  parameter: CelType | undefined,
  make: (parameter: CelType) => CelType,
): CelType | undefined {
  return parameter && make(parameter);
}
