import type { StatusCause } from '@keelson/apimachinery';
import { validateCompilation } from '../rules/validate-expressions.ts';
import { forbidden, invalid } from '../validation/field-error.ts';
import { childPath, type FieldPath } from '../validation/field-path.ts';
import { type JsonSchema } from '../validation/json-schema.ts';
import { type DecodeEmbedded, DefaultValidator } from './default-rules.ts';
import { validateOpenApi } from './open-api-rules.ts';
import { validateStructural } from './structural-rules.ts';
import { unsupportedKeyword } from './unsupported-keyword.ts';

/** The surroundings of the schema of a resource. */
export interface RootSchemaOptions {
  /** True if a version with the schema has the status subresource. */
  readonly hasStatus: boolean;
  /** Decodes the metadata of embedded objects in defaults. Default: they are not decoded. */
  readonly decodeEmbedded?: DecodeEmbedded;
}

/** Returns the causes for which kube-apiserver refuses the schema of a resource. */
export function validateRootSchema(
  schema: JsonSchema,
  path: FieldPath,
  { hasStatus, decodeEmbedded = () => undefined }: RootSchemaOptions,
): StatusCause[] {
  const causes = [
    ...(hasStatus ? statusCauses(schema, path) : []),
    ...nullableCauses(schema, path),
  ];
  const unsupported = unsupportedKeyword(schema);
  const structural =
    unsupported === undefined ? structuralCauses(schema, path, decodeEmbedded) : [];
  causes.push(...structural, ...validateOpenApi(schema, path));
  if (causes.length > 0) return causes;
  // Most unsupported keywords have a cause of their own by now.
  if (unsupported !== undefined) return [invalid(path, '', unsupported)];
  return validateCompilation(schema, path);
}

function nullableCauses(schema: JsonSchema, path: FieldPath): StatusCause[] {
  if (schema.nullable !== true) return [];
  return [forbidden(childPath(path, 'nullable'), 'nullable cannot be true at the root')];
}

/** Defaults are checked only in a structural schema. */
function structuralCauses(
  schema: JsonSchema,
  path: FieldPath,
  decode: DecodeEmbedded,
): StatusCause[] {
  const causes = validateStructural(schema, path);
  return causes.length > 0 ? causes : new DefaultValidator(decode).validate(schema, path);
}

/** The keywords that are allowed with a status, in the names and the order of Go's struct. */
const besideStatus: readonly (readonly [keyword: string, goName: string])[] = [
  ['description', 'Description'],
  ['type', 'Type'],
  ['format', 'Format'],
  ['title', 'Title'],
  ['maximum', 'Maximum'],
  ['exclusiveMaximum', 'ExclusiveMaximum'],
  ['minimum', 'Minimum'],
  ['exclusiveMinimum', 'ExclusiveMinimum'],
  ['maxLength', 'MaxLength'],
  ['minLength', 'MinLength'],
  ['pattern', 'Pattern'],
  ['maxItems', 'MaxItems'],
  ['minItems', 'MinItems'],
  ['uniqueItems', 'UniqueItems'],
  ['multipleOf', 'MultipleOf'],
  ['required', 'Required'],
  ['items', 'Items'],
  ['properties', 'Properties'],
  ['externalDocs', 'ExternalDocs'],
  ['example', 'Example'],
  ['x-kubernetes-preserve-unknown-fields', 'XPreserveUnknownFields'],
  ['x-kubernetes-validations', 'XValidations'],
];

/** The schema of a status must keep its meaning without the schema of the object. */
function statusCauses(schema: JsonSchema, path: FieldPath): StatusCause[] {
  const { type = '' } = schema;
  if (type !== 'object' && type !== '') {
    const detail =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    return [invalid(childPath(path, 'type'), type, detail)];
  }
  const allowed = new Set(besideStatus.map(([keyword]) => keyword));
  const others = Object.entries(schema).filter(
    ([name, value]) => !allowed.has(name) && isSet(name, value),
  );
  if (others.length === 0) return [];
  const names = besideStatus.map(([, name]) => name).join(' ');
  const detail = `only [${names}] fields are allowed at the root of the schema if the status subresource is enabled`;
  return [invalid(path, schema, detail)];
}

function isSet(name: string, value: unknown): boolean {
  if (name === 'additionalProperties') return value !== undefined;
  return value !== undefined && value !== null && value !== '' && value !== false;
}
