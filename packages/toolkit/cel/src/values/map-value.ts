import { type CelType, dynType, mapType } from '../types/cel-type.ts';
import { type EvaluationError, fail } from './evaluation-error.ts';
import { Duration } from './duration.ts';
import { ObjectValue } from './value.ts';
import { requireHashable } from './hashable.ts';
import { type Outcome, outcomeOf, valueOf } from './outcome.ts';
import { showValue } from './show-value.ts';
import { typeOfValue } from './type-of-value.ts';
import { UnsignedInt } from './unsigned-int.ts';
import type { Value } from './value.ts';

const anyMap = mapType(dynType, dynType);

/** A map or an object. */
export abstract class MapValue extends ObjectValue {
  abstract readonly size: number;
  /** True for a map that an expression created; false for an object of the resource. */
  abstract readonly isMade: boolean;

  get type(): CelType {
    return anyMap;
  }

  abstract keys(): readonly Value[];
  /** Returns the value of a key; `undefined` if the key is missing. */
  abstract find(key: Value): Outcome | undefined;

  /** Returns the map with the types that its values have in JSON. */
  withoutSchema(): MapValue {
    return this;
  }

  /** Compares with a map of the same size, for subclasses with their own equality; otherwise returns `undefined`. */
  equals(
    _other: MapValue,
    _equalOutcomes: (one: Outcome, other: Outcome) => boolean | EvaluationError,
  ): boolean | EvaluationError | undefined {
    return undefined;
  }
}

/** A map that an expression created. */
export class MadeMap extends MapValue {
  readonly isMade = true;
  readonly #entries = new Map<Identity, readonly [Value, Value]>();

  get size(): number {
    return this.#entries.size;
  }

  keys(): readonly Value[] {
    return Array.from(this.#entries.values(), ([key]) => key);
  }

  /** As in cel-go, an int also finds the equal uint, and a double both. */
  find(key: Value): Value | undefined {
    if (this.size === 0) return undefined;
    requireHashable(key);
    for (const text of keyTexts(key)) {
      const found = this.#entries.get(text);
      if (found !== undefined) return found[1];
    }
    return undefined;
  }

  /** Adds an entry; fails if the key exists. */
  insert(key: Value, value: Value): this {
    if (this.find(key) !== undefined) fail(`insert failed: key ${showValue(key)} already exists`);
    return this.set(key, value);
  }

  /** Adds a key and its value, or all entries of a map; returns the error if a key exists. */
  insertAll([first, second]: readonly Value[]): Outcome {
    return outcomeOf(() => {
      if (first === undefined) return this;
      if (second !== undefined) return this.insert(first, second);
      if (!(first instanceof MapValue)) return fail('no such overload');
      for (const key of first.keys()) this.insert(key, valueOf(first.find(key) ?? null));
      return this;
    });
  }

  /** Sets an entry as a literal does: the last of equal keys wins. */
  set(key: Value, value: Value): this {
    requireHashable(key);
    this.#entries.set(keyText(key), [key, value]);
    return this;
  }

  /** Removes an entry, for an optional entry without a value. */
  remove(key: Value): void {
    this.#entries.delete(keyText(key));
  }

  override toString(): string {
    const entries = this.#entries.values();
    return `{${Array.from(entries, ([key, value]) => `${showValue(key)}: ${showValue(value)}`).join(', ')}}`;
  }

  /** Returns a new map with the same entries. */
  copy(): MadeMap {
    const copy = new MadeMap();
    for (const [key, value] of this.#entries.values()) copy.set(key, value);
    return copy;
  }
}

/** Identifies a key. A list or map is only equal to itself, because Go compares pointers. */
type Identity = string | object;

/** Returns the identity of a key: keys of different types differ, also 1 and 1u. */
function keyText(key: Value): Identity {
  if (typeof key === 'string') return `"${key}`;
  if (typeof key === 'object' && key !== null && isPointer(key)) return key;
  if (key instanceof Duration) return `duration ${key.nanos}`;
  return `${typeOfValue(key).name} ${showValue(key)}`;
}

function isPointer(key: object): boolean {
  if (Array.isArray(key) || key instanceof MapValue) return true;
  const { name } = key instanceof ObjectValue ? key.type : { name: '' };
  return /^(list|optional_type|kubernetes\.)/.test(name);
}

/** Returns the identities under which a key may be found. */
function keyTexts(key: Value): readonly Identity[] {
  const own = keyText(key);
  if (typeof key === 'bigint') return [own, `uint ${key}`];
  if (key instanceof UnsignedInt) return [own, `int ${key.value}`];
  if (typeof key !== 'number' || !Number.isInteger(key)) return [own];
  return [own, `int ${BigInt(key)}`, `uint ${BigInt(key)}`];
}
