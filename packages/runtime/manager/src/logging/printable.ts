import { isError } from './error-text.ts';
import { foldedStack } from './folded-stack.ts';

/** Levels of nested objects and causes of errors; deeper levels are left out. */
const MAX_DEPTH = 8;
/** Items of one list, members of one object. */
const MAX_ITEMS = 100;
/** Values of one line. */
const MAX_VALUES = 1000;
/** Characters of one string. */
const MAX_STRING_LENGTH = 8192;
/** Characters of all strings of one line. */
const MAX_TOTAL_LENGTH = 65_536;
/** Characters of one key. */
const MAX_KEY_LENGTH = 128;
/** The decimal form of a larger bigint takes long to compute. */
const largestBigint = 2n ** 256n;

type Members = Record<string, unknown>;

/**
 * Copies values of user code into plain JSON values for one line of a log. A copy is bounded in depth, number of
 * values and length, and copying never throws: a value may be a proxy, circular, or have getters that throw.
 * All copies of one instance share the bounds.
 */
export class Printable {
  #valuesLeft = MAX_VALUES;
  #charactersLeft = MAX_TOTAL_LENGTH;
  /** The objects that enclose the current value. */
  readonly #path = new Set<object>();

  /** The copy of a value; `undefined` if the value is `undefined`. */
  of(value: unknown): unknown {
    if (this.#valuesLeft <= 0) return '(left out)';
    this.#valuesLeft -= 1;
    try {
      return typeof value === 'object' && value !== null
        ? this.#object(value)
        : this.#primitive(value);
    } catch {
      return '(cannot be read)';
    }
  }

  /** The copies of an object's members, by key. Throws if the object is a proxy that throws. */
  members(value: object): Members {
    this.#path.add(value);
    try {
      return this.#members(value);
    } finally {
      this.#path.delete(value);
    }
  }

  #primitive(value: unknown): unknown {
    switch (typeof value) {
      case 'string':
        return this.#text(value);
      case 'number':
        return Number.isFinite(value) ? value : String(value);
      case 'bigint':
        return value < largestBigint && value > -largestBigint ? String(value) : '(large bigint)';
      case 'symbol':
        return this.#text(String(value));
      case 'function':
        return '(function)';
      default:
        return value;
    }
  }

  #text(text: string): string {
    const limit = Math.min(MAX_STRING_LENGTH, this.#charactersLeft);
    this.#charactersLeft -= Math.min(text.length, limit);
    if (text.length <= limit) return text;
    return `${text.slice(0, limit)}… (cut, ${text.length} characters)`;
  }

  #object(value: object): unknown {
    if (this.#path.has(value)) return '(circular)';
    if (this.#path.size >= MAX_DEPTH) return '(too deep)';
    this.#path.add(value);
    try {
      return this.#copy(value);
    } finally {
      this.#path.delete(value);
    }
  }

  #copy(value: object): unknown {
    if (isError(value)) return this.#error(value);
    if (Array.isArray(value)) return this.#items(value, value.length);
    if (ArrayBuffer.isView(value)) return `(${value.byteLength} bytes)`;
    if (value instanceof Map || value instanceof Set) return this.#items(value, value.size);
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON === 'function') return this.of(toJSON.call(value));
    return this.#members(value);
  }

  #items(items: Iterable<unknown>, length: number): unknown[] {
    const copies: unknown[] = [];
    for (const item of items) {
      if (copies.length >= MAX_ITEMS || this.#valuesLeft <= 0) break;
      copies.push(this.of(item));
    }
    const left = length - copies.length;
    return left > 0 ? [...copies, `(${left} more)`] : copies;
  }

  #members(value: object): Members {
    // Without a prototype, so that a member `__proto__` is an ordinary member.
    const copies = Object.create(null) as Members;
    const keys = Object.keys(value);
    for (const key of keys.slice(0, MAX_ITEMS)) {
      copies[key.slice(0, MAX_KEY_LENGTH)] = this.#member(value, key);
    }
    if (keys.length > MAX_ITEMS) copies['(left out)'] = keys.length - MAX_ITEMS;
    return copies;
  }

  #error(error: Error): Members {
    const copies: Members = {};
    for (const key of ['name', 'message', 'code', 'docs', 'stack', 'cause', 'errors']) {
      // Only some errors have `code`, `docs`, `cause` or `errors`.
      const copy = this.#member(error, key);
      if (copy === undefined) continue;
      copies[key] = key === 'stack' && typeof copy === 'string' ? foldedStack(copy) : copy;
    }
    return copies;
  }

  /** The copy of one member, whose getter may throw. */
  #member(value: object, key: string): unknown {
    try {
      return this.of((value as Members)[key]);
    } catch {
      return '(cannot be read)';
    }
  }
}
