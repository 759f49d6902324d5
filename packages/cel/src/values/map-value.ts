import { type CelType, dynType, mapType } from '../types/cel-type.ts';
import { fail } from './evaluation-error.ts';
import { ObjectValue } from './value.ts';
import { showValue } from './show-value.ts';
import { UnsignedInt } from './unsigned-int.ts';
import type { Value } from './value.ts';

const anyMap = mapType(dynType, dynType);

/** A map or an object. */
export abstract class MapValue extends ObjectValue {
  abstract readonly size: number;
  get type(): CelType {
    return anyMap;
  }

  abstract keys(): readonly Value[];
  /** Returns the value of a key; `undefined` if the key is missing. */
  abstract get(key: Value): Value | undefined;

  /** Compares with a map of the same size, for subclasses with their own equality; otherwise returns `undefined`. */
  equals(
    _other: MapValue,
    _equalValues: (one: Value, other: Value) => boolean,
  ): boolean | undefined {
    return undefined;
  }
}

/** A map that an expression created. */
export class MadeMap extends MapValue {
  readonly #entries = new Map<string, readonly [Value, Value]>();

  get size(): number {
    return this.#entries.size;
  }

  keys(): readonly Value[] {
    return Array.from(this.#entries.values(), ([key]) => key);
  }

  get(key: Value): Value | undefined {
    return this.#entries.get(keyText(key))?.[1];
  }

  /** Adds an entry; fails if the key exists. */
  insert(key: Value, value: Value): this {
    const text = keyText(key);
    if (this.#entries.has(text)) fail(`insert failed: key ${showValue(key)} already exists`);
    this.#entries.set(text, [key, value]);
    return this;
  }

  /** Sets an entry as a literal does: the last of equal keys wins. */
  set(key: Value, value: Value): this {
    this.#entries.set(keyText(key), [key, value]);
    return this;
  }

  /** Returns a new map with the same entries. */
  copy(): MadeMap {
    const copy = new MadeMap();
    for (const [key, value] of this.#entries.values()) copy.set(key, value);
    return copy;
  }
}

/** Returns the identity of a key: equal numbers of different types are the same key. */
function keyText(key: Value): string {
  if (typeof key === 'string') return `"${key}`;
  if (key instanceof UnsignedInt) return String(key.value);
  return showValue(key);
}
