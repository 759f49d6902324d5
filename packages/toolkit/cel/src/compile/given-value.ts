import { type CelType, parameterOf, showType } from '../types/cel-type.ts';
import { Duration } from '../values/duration.ts';
import { EvaluationError } from '../values/evaluation-error.ts';
import { MadeMap } from '../values/map-value.ts';
import { Timestamp } from '../values/timestamp.ts';
import { UnsignedInt } from '../values/unsigned-int.ts';
import type { Value } from '../values/value.ts';
import { CelError } from '../errors.ts';

/** Deeper than any object of the API, and shallow enough for the call stack. */
const MAX_VALUE_DEPTH = 1000;

/**
 * Converts a JavaScript value to a CEL value of a type. Throws `VARIABLE_INVALID` with the path of the invalid
 * part. As in kube-apiserver, a number without a fraction becomes an int in `dyn`. Adds all lists and maps to `containers`.
 */
export function givenValue(
  type: CelType,
  given: unknown,
  path: string,
  containers?: WeakSet<object>,
): Value {
  return new ValueReader(containers).read(type, given, path, 0);
}

class ValueReader {
  readonly #containers: WeakSet<object> | undefined;

  constructor(containers: WeakSet<object> | undefined) {
    this.#containers = containers;
  }

  read(type: CelType, given: unknown, path: string, depth: number): Value {
    if (depth > MAX_VALUE_DEPTH) throw refused(path, `is nested more than ${MAX_VALUE_DEPTH} deep`);
    const value = this.#convert(type.kind === 'dyn' ? undefined : type, given, path, depth);
    if (value === undefined) throw refused(path, `must be ${showType(type)}`);
    if (typeof value === 'object' && value !== null) this.#containers?.add(value);
    return value;
  }

  /** Converts a value; returns `undefined` if it does not fit. Without a type the JavaScript type decides. */
  #convert(
    type: CelType | undefined,
    given: unknown,
    path: string,
    depth: number,
  ): Value | undefined {
    if (Array.isArray(given) && isA(type, 'list')) {
      const item = parameterOf(type ?? anything);
      return given.map((each, index) => this.read(item, each, `${path}[${index}]`, depth + 1));
    }
    if (isPlainObject(given) && isA(type, 'map')) return this.#mapOf(type, given, path, depth);
    return type === undefined
      ? untyped(given)
      : (scalars[type.name]?.(given) ?? undefinedOrNull(type, given));
  }

  /** Converts an object to a map. Members that are undefined are ignored, as in JSON. */
  #mapOf(
    type: CelType | undefined,
    given: Readonly<Record<string, unknown>>,
    path: string,
    depth: number,
  ): Value {
    const map = new MadeMap();
    for (const [name, each] of Object.entries(given)) {
      if (each === undefined) continue;
      const at = `${path}.${name}`;
      const key = keyOf(type, name);
      if (key === undefined)
        throw refused(at, `has a key that is not of type ${parameterOf(type ?? anything).name}`);
      map.set(key, this.read(parameterOf(type ?? anything, 1), each, at, depth + 1));
    }
    return map;
  }
}

const anything: CelType = { kind: 'dyn', name: 'dyn', parameters: [] };

function isA(type: CelType | undefined, name: string): boolean {
  return type === undefined || type.name === name;
}

/** Converts the name of a member to a key. Keys of other types than string use the notation of CEL. */
function keyOf(type: CelType | undefined, name: string): Value | undefined {
  const keys = type && parameterOf(type).name;
  if (keys === 'bool') return name === 'true' || (name === 'false' ? false : undefined);
  if (keys !== 'int' && keys !== 'uint') return name;
  return /^-?\d+$/.test(name) ? scalars[keys]?.(BigInt(name)) : undefined;
}

function untyped(given: unknown): Value | undefined {
  if (given === null || typeof given === 'boolean' || typeof given === 'string') return given;
  if (typeof given === 'number') return integer(given) ?? given;
  if (typeof given === 'bigint') return integer(given);
  return given instanceof Uint8Array ? given : momentOf(given);
}

function undefinedOrNull(type: CelType, given: unknown): null | undefined {
  return type.kind === 'null' && given === null ? null : undefined;
}

/** Converts values of scalar types; returns `undefined` if the value does not fit. */
const scalars: Readonly<Record<string, (given: unknown) => Value | undefined>> = {
  bool: (given) => (typeof given === 'boolean' ? given : undefined),
  bytes: (given) => (given instanceof Uint8Array ? given : undefined),
  double: (given) => (typeof given === 'number' ? given : undefined),
  int: integer,
  string: (given) => (typeof given === 'string' ? given : undefined),
  uint: (given) => {
    const value = wholeNumber(given);
    const fits = value !== undefined && BigInt.asUintN(64, value) === value;
    return fits ? new UnsignedInt(value) : undefined;
  },
  'google.protobuf.Duration': (given) =>
    typeof given === 'string' ? withoutError(() => Duration.parse(given)) : undefined,
  'google.protobuf.Timestamp': (given) =>
    typeof given === 'string' ? withoutError(() => Timestamp.parse(given)) : momentOf(given),
};

function integer(given: unknown): bigint | undefined {
  const value = wholeNumber(given);
  return value !== undefined && BigInt.asIntN(64, value) === value ? value : undefined;
}

function wholeNumber(given: unknown): bigint | undefined {
  if (typeof given === 'bigint') return given;
  return Number.isSafeInteger(given) ? BigInt(given as number) : undefined;
}

function momentOf(given: unknown): Timestamp | undefined {
  if (!(given instanceof Date) || Number.isNaN(given.getTime())) return undefined;
  return withoutError(() => new Timestamp(BigInt(given.getTime()) * 1_000_000n));
}

/** Returns `undefined` for a time outside of the range of CEL. */
function withoutError<T>(compute: () => T): T | undefined {
  try {
    return compute();
  } catch (error) {
    if (error instanceof EvaluationError) return undefined;
    throw error;
  }
}

function isPlainObject(given: unknown): given is Readonly<Record<string, unknown>> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return false;
  return !(given instanceof Date) && !(given instanceof Uint8Array);
}

function refused(variable: string, reason: string): CelError {
  return new CelError('VARIABLE_INVALID', { variable, reason });
}
