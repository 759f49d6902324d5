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
  opaqueType,
  objectType,
  optionalType,
  stringType,
  timestampType,
  typeOfType,
  typeParameter,
  uintType,
} from './cel-type.ts';

/** The implementation of a function. The checker has checked the types of the arguments. */
export type Implementation = (...args: never[]) => unknown;

/** One overload of a function. */
export interface Overload {
  /** The declaration as written, which identifies the overload. */
  readonly signature: string;
  readonly name: string;
  /** True if the first parameter is the target of the call: `text.size()`. */
  readonly member: boolean;
  readonly parameters: readonly CelType[];
  readonly result: CelType;
  readonly implementation: Implementation;
}

export const ipType: CelType = opaqueType('net.IP');
export const cidrType: CelType = opaqueType('net.CIDR');
export const quantityType: CelType = objectType('kubernetes.Quantity');
export const semverType: CelType = objectType('kubernetes.Semver');
export const urlType: CelType = objectType('kubernetes.URL');
export const formatType: CelType = objectType('kubernetes.NamedFormat');

const named: Readonly<Record<string, CelType>> = {
  bool: boolType,
  int: intType,
  uint: uintType,
  double: doubleType,
  string: stringType,
  bytes: bytesType,
  null: nullType,
  dyn: dynType,
  timestamp: timestampType,
  duration: durationType,
  IP: ipType,
  CIDR: cidrType,
  Quantity: quantityType,
  Semver: semverType,
  URL: urlType,
  Format: formatType,
  ...Object.fromEntries(
    ['Authorizer', 'PathCheck', 'GroupCheck', 'ResourceCheck', 'Decision'].map((name) => [
      name,
      objectType(`kubernetes.authorization.${name}`),
    ]),
  ),
};

const generic: Readonly<Record<string, (...parameters: CelType[]) => CelType>> = {
  list: (item = dynType) => listType(item),
  map: (key = dynType, value = dynType) => mapType(key, value),
  optional: (value = dynType) => optionalType(value),
  type: (instance = dynType) => typeOfType(instance),
};

/**
 * Declares one overload: `list<T>.slice(int, int): list<T>`. A type before the dot is the target of the call; any
 * other prefix (`sets.contains`) is part of the name.
 */
export function overload(signature: string, implementation: Implementation): Overload {
  const [, head = '', args = '', result = ''] = /^([^(]+)\((.*)\): (.+)$/.exec(signature) ?? [];
  const [, target, method = ''] = /^([\w<>, ]+)\.(@?\w+)$/.exec(head) ?? [];
  const member = target !== undefined && isType(target);
  const parameters = splitTypes(args).map(typeNamed);
  return {
    signature,
    name: member ? method : head,
    member,
    parameters: member ? [typeNamed(target), ...parameters] : parameters,
    result: typeNamed(result),
    implementation,
  };
}

function isType(written: string): boolean {
  return written.includes('<') || written in named;
}

function typeNamed(written: string): CelType {
  const [, name = '', inner] = /^([\w]+)(?:<(.*)>)?$/.exec(written) ?? [];
  const make = generic[name];
  if (make !== undefined) return make(...splitTypes(inner ?? '').map(typeNamed));
  return named[name] ?? typeParameter(name);
}

/** Splits `map<string, int>, int` at its outer commas. */
function splitTypes(written: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const character of written) {
    if (character === '<') depth += 1;
    if (character === '>') depth -= 1;
    if (character === ',' && depth === 0) {
      parts.push(part.trim());
      part = '';
    } else part += character;
  }
  return part.trim() === '' ? parts : [...parts, part.trim()];
}
