import { ownValue } from '../json/json-value.ts';
import { type FieldPath, keyPath } from '../validation/field-path.ts';
import type { JsonSchema } from '../validation/json-schema.ts';

/**
 * Normalizes the `fieldPath` of a rule: `['a']` becomes `.a`, and `[a]` for an entry of a map. Returns undefined if the
 * schema has no such field.
 */
export function normalFieldPath(schema: JsonSchema, path: string): FieldPath | undefined {
  let at = schema;
  let normal: FieldPath = '';
  let rest = path;
  while (rest !== '') {
    const [whole = '', field, quoted] = stepPattern.exec(rest) ?? [];
    const name = field ?? unquoted(quoted);
    const inner = name === undefined ? undefined : memberOf(at, name);
    if (name === undefined || inner === undefined) return undefined;
    normal = at.properties === undefined ? keyPath(normal, name) : `${normal}.${name}`;
    at = inner;
    rest = rest.slice(whole.length);
  }
  return normal;
}

const stepPattern = /^(?:\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\])/s;

/** Returns the schema of a member: a named field, or the value schema of a map. */
function memberOf(schema: JsonSchema, name: string): JsonSchema | undefined {
  const { properties, additionalProperties: values } = schema;
  if (properties !== undefined) return ownValue(properties, name);
  // Without a schema the values have no further members.
  return typeof values === 'boolean' ? {} : values;
}

const escapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
};

function unquoted(quoted: string | undefined): string | undefined {
  if (quoted === undefined) return undefined;
  const known = Array.from(quoted.matchAll(/\\(.)/gs), ([, letter = '']) => letter in escapes);
  if (known.includes(false)) return undefined;
  return quoted.replaceAll(/\\(.)/gs, (_, letter: string) => escapes[letter] ?? letter);
}
