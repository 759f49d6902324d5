import { isJsonObject } from '../json/json-value.ts';
import { type JsonSchema } from '../validation/json-schema.ts';
import { isPresent, type SentSchema } from './open-api-rules.ts';

/** Returns why a schema cannot be read as a structural one; undefined if it can. */
export function unsupportedKeyword(schema: SentSchema): string | undefined {
  return ownProblem(schema) ?? firstOf(schemasIn(schema));
}

function firstOf(schemas: readonly JsonSchema[]): string | undefined {
  for (const schema of schemas) {
    const problem = unsupportedKeyword(schema);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function ownProblem(schema: SentSchema): string | undefined {
  const problems: readonly (readonly [string, boolean])[] = [
    ['id', (schema.id ?? '') !== ''],
    ['schema', (schema.$schema ?? '') !== ''],
    ['$ref', (schema.$ref ?? '') !== ''],
    ['patternProperties', isFilled(schema.patternProperties)],
    ['dependencies', isFilled(schema.dependencies)],
    ['additionalItems', isPresent(schema.additionalItems as never)],
    ['definitions', isFilled(schema.definitions)],
  ];
  const found = problems.find(([, isUsed]) => isUsed);
  if (found !== undefined) return `OpenAPIV3Schema '${found[0]}' is not supported`;
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  if (Array.isArray(schema.items) && schema.items.length > 0) {
    return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  }
  return undefined;
}

function isFilled(value: object | undefined): boolean {
  return Object.keys(value ?? {}).length > 0;
}

/** Returns the schemas directly inside a schema. */
export function schemasIn(schema: JsonSchema): JsonSchema[] {
  const { items, properties = {}, additionalProperties, not } = schema;
  const { allOf = [], anyOf = [], oneOf = [] } = schema;
  return [
    ...(not === undefined ? [] : [not]),
    ...allOf,
    ...anyOf,
    ...oneOf,
    ...(isJsonObject(items) ? [items as JsonSchema] : []),
    ...Object.values(properties),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
  ];
}
