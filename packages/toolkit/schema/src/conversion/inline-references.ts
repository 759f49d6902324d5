import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownValue,
} from '@keelson/structural-schema';
import { refusal } from '../literal/refusal.ts';
import { SchemaBudget } from '../literal/schema-budget.ts';

/** Keywords whose values are data, not schemas. */
const data: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);

/** Definitions are only referenced; they are no part of the value. */
const definitions: ReadonlySet<string> = new Set(['$defs', 'definitions']);

/** Replaces each `$ref` by the schema that it names. A schema that contains itself is refused with its path. */
export function inlineReferences(root: JsonObject, path: string): JsonObject {
  return new ReferenceInliner(root).inline(root, path, ['#']);
}

class ReferenceInliner {
  readonly #root: JsonObject;
  readonly #budget = new SchemaBudget();

  constructor(root: JsonObject) {
    this.#root = root;
  }

  inline(given: JsonObject, path: string, outer: readonly string[]): JsonObject {
    this.#budget.take(path, 0);
    const { $ref: reference, ...rest } = given;
    if (typeof reference === 'string') {
      if (outer.includes(reference)) throw recursion(path, reference);
      const target = this.#resolve(reference, path);
      return this.inline({ ...target, ...rest }, path, [...outer, reference]);
    }
    const members = Object.entries(rest)
      .filter(([name]) => !definitions.has(name))
      .map(([name, value]) => [name, this.#member(name, value, path, outer)] as const);
    return Object.fromEntries(members);
  }

  #member(name: string, value: JsonValue, path: string, outer: readonly string[]): JsonValue {
    if (data.has(name) || name.startsWith('x-')) return value;
    const inner = `${path}.${name}`;
    if (Array.isArray(value)) {
      // The choices of a union describe the same value.
      return value.map((part) => (isJsonObject(part) ? this.inline(part, path, outer) : part));
    }
    if (!isJsonObject(value)) return value;
    if (!/[pP]roperties$/.test(name) || name === 'additionalProperties') {
      return this.inline(value, inner, outer);
    }
    const parts = Object.entries(value).map(([each, part]) => [
      each,
      isJsonObject(part) ? this.inline(part, `${inner}.${each}`, outer) : part,
    ]);
    return Object.fromEntries(parts) as JsonObject;
  }

  #resolve(reference: string, path: string): JsonObject {
    let at: JsonValue | undefined = reference.startsWith('#') ? this.#root : undefined;
    for (const name of reference.split('/').slice(1)) {
      at = isJsonObject(at) ? ownValue(at, unescaped(name)) : undefined;
    }
    if (isJsonObject(at)) return at;
    throw refusal(path, `a reference to another document: ${reference}`, 'define it in the schema');
  }
}

/** Decodes a segment of a JSON Pointer. */
function unescaped(name: string): string {
  return decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~');
}

function recursion(path: string, reference: string): Error {
  return refusal(
    path,
    `the schema contains itself by ${reference}`,
    'a CRD has no recursion: accept any value there, such as z.unknown()',
  );
}
