import type { StatusCause } from '@keelson/apimachinery';
import {
  childPath,
  type FieldPath,
  indexPath,
  type JsonObject,
  type JsonValue,
  setOwn,
  typeInvalid,
} from '@keelson/structural-schema';

/** A deeper object would exhaust the stack; a schema has at most 200 levels. */
const maxLevels = 500;

/** A copy of a value as JSON, and the causes for the parts that JSON cannot express. */
export interface JsonCopy {
  readonly value: JsonValue;
  readonly causes: readonly StatusCause[];
  /** Turns the bigints that were numbers back into numbers. */
  readonly restoreNumbers: () => void;
}

/**
 * Copies a value as JSON: members with the value `undefined` are dropped. A part that is not JSON, such as a date or
 * NaN, becomes null and a cause. A number that JSON writes as an integer beyond 2^53 becomes a bigint, as the API server
 * reads it.
 */
export function jsonCopy(value: unknown): JsonCopy {
  const copier = new JsonCopier();
  const copy = copier.copy(value, '', []);
  return { value: copy, causes: copier.causes, restoreNumbers: () => copier.restoreNumbers() };
}

class JsonCopier {
  readonly causes: StatusCause[] = [];
  /** The places of bigints that were numbers. */
  readonly #widened: { readonly owner: JsonValue[] | JsonObject; readonly name: string }[] = [];

  restoreNumbers(): void {
    for (const { owner, name } of this.#widened) {
      const members = owner as JsonObject;
      if (typeof members[name] === 'bigint') members[name] = Number(members[name]);
    }
  }

  copy(value: unknown, path: FieldPath, parents: readonly object[]): JsonValue {
    if (isScalar(value)) return value;
    if (typeof value !== 'object' || value === null) return this.#refuse(value, path);
    if (parents.includes(value)) return this.#refuse('a cycle', path);
    if (parents.length >= maxLevels) return this.#refuse('too many levels', path);
    const within = [...parents, value];
    if (Array.isArray(value)) {
      const list = Array.from(value, (item, index) =>
        this.copy(item, indexPath(path, index), within),
      );
      for (const index of list.keys()) this.#widen(list, String(index));
      return list;
    }
    if (!isPlain(value)) return this.#refuse(value, path);
    const copy: JsonObject = {};
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      setOwn(copy, name, this.copy(member, childPath(path, name), within));
      this.#widen(copy, name);
    }
    return copy;
  }

  #widen(owner: JsonValue[] | JsonObject, name: string): void {
    const members = owner as JsonObject;
    const value = members[name];
    const isWide = Number.isInteger(value) && !Number.isSafeInteger(value);
    // The API server reads larger integers as numbers.
    if (typeof value !== 'number' || !isWide || Math.abs(value) >= 2 ** 63) return;
    members[name] = BigInt(value);
    this.#widened.push({ owner, name });
  }

  #refuse(value: unknown, path: FieldPath): null {
    this.causes.push(typeInvalid(path, nameOf(value), `${path} is not a JSON value`));
    return null;
  }
}

/** The objects of other realms, such as those of `structuredClone` in Jest, have a prototype of their own. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function isScalar(value: unknown): value is null | boolean | number | bigint | string {
  if (typeof value === 'number') return Number.isFinite(value);
  return value === null || ['boolean', 'bigint', 'string'].includes(typeof value);
}

function nameOf(value: unknown): string {
  if (typeof value === 'object' && value !== null) {
    const { constructor } = Object.getPrototypeOf(value) as object;
    return typeof constructor === 'function' ? constructor.name : 'object';
  }
  return typeof value === 'string' || typeof value === 'number' ? String(value) : typeof value;
}
