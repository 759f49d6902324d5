import { asJson, isJsonObject, type JsonObject, type JsonSchema } from '@keelson/structural-schema';
import { objectAt } from '../json/json-members.ts';
import { openApiV3Document, type OpenApiSource } from './openapi-document.ts';

/** Names a kind. */
interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/**
 * Returns the schema of a kind in the OpenAPI documents of the server, with the schemas that it refers to. A schema that
 * refers to itself is an object without members there. Source: `pkg/cel/openapi/resolver` of apiserver.
 */
export function resolvedSchema(
  { group, version, kind }: Kind,
  source: OpenApiSource,
): JsonSchema | undefined {
  const path = group === '' ? `api/${version}` : `apis/${group}/${version}`;
  const document = openApiV3Document(path, source);
  if (document === undefined) return undefined;
  const schemas = objectAt(objectAt(asJson(document), 'components'), 'schemas');
  const name = Object.keys(schemas).find((each) =>
    kindsOf(objectAt(schemas, each)).some(
      (of) => of['group'] === group && of['version'] === version && of['kind'] === kind,
    ),
  );
  if (name === undefined) return undefined;
  return populated(objectAt(schemas, name), schemas, new Set([name]));
}

function kindsOf(schema: JsonObject): readonly JsonObject[] {
  const kinds = schema['x-kubernetes-group-version-kind'];
  return Array.isArray(kinds) ? kinds.filter(isJsonObject) : [];
}

const prefix = '#/components/schemas/';

function populated(
  schema: JsonObject,
  schemas: JsonObject,
  visited: ReadonlySet<string>,
): JsonObject {
  const name = referenceOf(schema);
  if (name !== undefined && visited.has(name)) return { type: 'object' };
  const own = name === undefined ? schema : objectAt(schemas, name);
  const seen = name === undefined ? visited : new Set([...visited, name]);
  const below = (part: JsonObject): JsonObject => populated(part, schemas, seen);
  const { properties, additionalProperties, items, format } = own;
  return {
    ...own,
    ...(format === 'int-or-string' && { 'x-kubernetes-int-or-string': true }),
    ...(isJsonObject(properties) && {
      properties: Object.fromEntries(
        Object.keys(properties).map((each) => [each, below(objectAt(properties, each))]),
      ),
    }),
    ...(isJsonObject(additionalProperties) && {
      additionalProperties: below(additionalProperties),
    }),
    ...(isJsonObject(items) && { items: below(items) }),
  };
}

/** The name of the schema that another one refers to; `allOf` wraps a reference to add a description. */
function referenceOf({ $ref, allOf }: JsonObject): string | undefined {
  if (typeof $ref === 'string') return $ref.slice(prefix.length);
  const wrapped = Array.isArray(allOf) ? allOf.filter(isJsonObject) : [];
  return wrapped.map(referenceOf).find((each) => each !== undefined);
}
