import { jsonEquals, type JsonObject, type JsonValue } from '@keelson/structural-schema';

/** The keywords for people. A schema of them alone accepts every value. */
export const annotations: ReadonlySet<string> = new Set([
  'title',
  'description',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$comment',
  '$id',
  '$anchor',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
  '$schema',
  'id',
]);

/** Returns the titles, descriptions and examples of the choices of a union, for the one schema that replaces them. */
export function joinedAnnotations(choices: readonly JsonObject[]): JsonObject {
  const title = joinedTexts(choices, 'title', ' or ');
  const description = joinedTexts(choices, 'description', '\n');
  const examples = choices.flatMap(({ examples: own }) => (Array.isArray(own) ? own : []));
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(examples.length > 0 && { examples }),
  };
}

function joinedTexts(
  choices: readonly JsonObject[],
  name: 'title' | 'description',
  separator: string,
): string | undefined {
  const texts = choices.map((choice) => choice[name]).filter((text) => typeof text === 'string');
  return texts.length === 0 ? undefined : [...new Set(texts)].join(separator);
}

/** True if two schemas differ at most in the keywords for people, of the schema itself. */
export function acceptAlike(one: JsonValue, other: JsonValue): boolean {
  return jsonEquals(withoutAnnotations(one), withoutAnnotations(other));
}

function withoutAnnotations(schema: JsonValue): JsonValue {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema;
  return Object.fromEntries<JsonValue>(
    Object.entries(schema).filter(([name]) => !annotations.has(name)),
  );
}
