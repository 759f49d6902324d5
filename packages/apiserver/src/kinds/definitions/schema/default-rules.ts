import type { StatusCause } from '@keelson/apimachinery';
import {
  celLibrary,
  checkedRules,
  childPath,
  cloneJson,
  compileRules,
  type FieldPath,
  invalid,
  isJsonObject,
  type JsonSchema,
  type JsonValue,
  keyPath,
  PatternMatcher,
  unknownMembers,
  validateContent,
  validateEmbedded,
} from '@keelson/structural-schema';
import { DecodeError } from '../../../schema/decode-error.ts';
import { coerceEmbedded } from '../../../schema/structural/coerce-embedded.ts';
import { schemasIn } from './unsupported-keyword.ts';
import { isPresent } from './open-api-rules.ts';

/** The nearest object with metadata around a schema. */
interface Surroundings {
  readonly schema: JsonSchema;
  /** Puts a value into the place of the schema in a new object. */
  readonly wrap: (value: JsonValue) => JsonValue;
  /** True inside the metadata, `kind` or `apiVersion` of that object. */
  readonly isMetadata: boolean;
}

const metadataMembers: readonly string[] = ['metadata', 'kind', 'apiVersion'];

/** Returns the causes for defaults that their own schema does not accept. Defaults of map values are not checked. */
export function validateDefaults(root: JsonSchema, path: FieldPath): StatusCause[] {
  const object: JsonSchema = { ...root, 'x-kubernetes-embedded-resource': true };
  return defaultsAt(object, path, { schema: object, wrap: (value) => value, isMetadata: false });
}

function defaultsAt(schema: JsonSchema, path: FieldPath, around: Surroundings): StatusCause[] {
  const isObject = schema['x-kubernetes-embedded-resource'] === true;
  const outer = isObject ? { schema, wrap: typed, isMetadata: false } : around;
  const { items, properties = {} } = schema;
  return [
    ...ownCauses(schema, childPath(path, 'default'), outer),
    ...(items === undefined
      ? []
      : defaultsAt(items, childPath(path, 'items'), {
          ...outer,
          wrap: (value) => outer.wrap([value]),
        })),
    ...Object.entries(properties).flatMap(([name, property]) =>
      defaultsAt(property, keyPath(childPath(path, 'properties'), name), {
        schema: outer.schema,
        wrap: (value) => outer.wrap({ [name]: value }),
        isMetadata: outer.isMetadata || (isObject && metadataMembers.includes(name)),
      }),
    ),
  ];
}

/** True if a schema, or one in it, has a default. */
export function hasDefaults(schema: JsonSchema | undefined): boolean {
  if (schema === undefined) return false;
  if (isPresent(schema.default)) return true;
  return schemasIn(schema).some(hasDefaults);
}

/** Adds the type of an object that has none. */
function typed(value: JsonValue): JsonValue {
  return isJsonObject(value)
    ? { apiVersion: 'validation/v1', kind: 'Validation', ...value }
    : value;
}

function ownCauses(schema: JsonSchema, path: FieldPath, around: Surroundings): StatusCause[] {
  const { default: value } = schema;
  if (value === undefined || !isPresent(value)) return [];
  const copy = cloneJson(value);
  if (around.isMetadata) {
    const why = metadataProblem(around, copy);
    return why === undefined
      ? contentCauses(schema, copy, path)
      : [invalid(path, value, `must result in valid metadata: ${why}`)];
  }
  const unknown =
    unknownMembers(schema, copy, '').length === 0
      ? []
      : [invalid(path, value, 'must not have unknown fields')];
  return [...unknown, ...embeddedCauses(schema, copy, path)];
}

/** Checks the objects in a default that have metadata of their own, then the content. */
function embeddedCauses(schema: JsonSchema, value: JsonValue, path: FieldPath): StatusCause[] {
  try {
    coerceEmbedded(schema, value, path);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return [invalid(path, value, error.message)];
  }
  const causes = validateEmbedded(schema, value, path);
  return causes.length > 0 ? causes : contentCauses(schema, value, path);
}

function metadataProblem({ schema, wrap }: Surroundings, value: JsonValue): string | undefined {
  const object = wrap(cloneJson(value));
  const whole: JsonSchema = { ...schema, 'x-kubernetes-embedded-resource': true };
  try {
    coerceEmbedded(whole, object, '');
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
  const [cause] = validateEmbedded(whole, object, '');
  return cause === undefined ? undefined : `${cause.field}: ${cause.message}`;
}

function contentCauses(schema: JsonSchema, value: JsonValue, path: FieldPath): StatusCause[] {
  const options = { patterns: new PatternMatcher(), isDefault: true };
  const causes = validateContent(schema, value, '', options);
  return (causes.length > 0 ? causes : ruleCauses(schema, value)).map((cause) =>
    placed(cause, path),
  );
}

/** Evaluates the rules of the schema on an unchanged default, then on a new one. */
function ruleCauses(schema: JsonSchema, value: JsonValue): readonly StatusCause[] {
  const tree = compileRules(celLibrary(), schema);
  const unchanged = (): boolean => false;
  const { causes } = checkedRules(tree, [], { value, old: value, unchanged });
  if (causes.length > 0) return causes;
  return checkedRules(tree, [], { value, old: undefined, unchanged }).causes;
}

function placed(cause: StatusCause, path: FieldPath): StatusCause {
  const { field = '' } = cause;
  if (field === '' || field === '<nil>') return { ...cause, field: path };
  return { ...cause, field: `${path}.${field}` };
}
