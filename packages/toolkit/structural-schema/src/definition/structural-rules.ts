import type { StatusCause } from '@keelson/apimachinery';
import { isJsonObject } from '../json/json-value.ts';
import { forbidden, invalid, required } from '../validation/field-error.ts';
import { childPath, type FieldPath, indexPath, keyPath } from '../validation/field-path.ts';
import { type JsonSchema } from '../validation/json-schema.ts';
import { patternSyntaxProblem } from '../validation/pattern-matcher.ts';
import { completenessCauses } from './completeness-rules.ts';

type Level = 'root' | 'item' | 'field';

/**
 * Returns the causes for which a schema is not structural, in alphabetical order:
 * https://k8s.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
 */
export function validateStructural(schema: JsonSchema, path: FieldPath): StatusCause[] {
  const causes = [...invariants(schema, 'root', path), ...completenessCauses(schema, path)];
  return causes.toSorted((one, other) => (textOf(one) < textOf(other) ? -1 : 1));
}

function textOf({ field, message }: StatusCause): string {
  return `${field}: ${message}`;
}

function invariants(schema: JsonSchema, level: Level, path: FieldPath): StatusCause[] {
  const { type = '', items, properties = {}, additionalProperties: values } = schema;
  const valuesPath = childPath(path, 'additionalProperties');
  const itemsPath = childPath(path, 'items');
  return [
    ...(type === 'array' && items === undefined ? [required(itemsPath, 'must be specified')] : []),
    ...(items === undefined ? [] : invariants(items, 'item', itemsPath)),
    ...Object.entries(properties).flatMap(([name, property]) =>
      invariants(property, 'field', keyPath(childPath(path, 'properties'), name)),
    ),
    ...(values !== undefined && level === 'root'
      ? [forbidden(valuesPath, 'must not be used at the root')]
      : []),
    ...(isJsonObject(values) ? invariants(values, 'field', valuesPath) : []),
    ...extensionCauses(schema, path),
    ...restrictionCauses(schema, path, intOrStringPlaces(schema)),
    ...typeCauses(schema, level, path),
    ...metadataCauses(schema, level, path),
    ...emptyEmbeddedCauses(schema, path),
  ];
}

function extensionCauses(schema: JsonSchema, path: FieldPath): StatusCause[] {
  if (schema['x-kubernetes-int-or-string'] !== true) return [];
  const names = ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const;
  const detail = 'must be false if x-kubernetes-int-or-string is true';
  return names
    .filter((name) => schema[name] === true)
    .map((name) => invalid(childPath(path, name), true, detail));
}

/** The two forms of `x-kubernetes-int-or-string` in which `type` is allowed below a junctor. */
interface IntOrStringPlaces {
  readonly anyOf: boolean;
  readonly firstAllOf: boolean;
}

function intOrStringPlaces({ anyOf, allOf = [] }: JsonSchema): IntOrStringPlaces {
  return { anyOf: isIntOrString(anyOf), firstAllOf: isIntOrString(allOf[0]?.anyOf) };
}

function isIntOrString(anyOf: readonly JsonSchema[] | undefined): boolean {
  const wanted = ['integer', 'string'];
  return (
    anyOf?.length === 2 &&
    anyOf.every((each, index) => Object.keys(each).length === 1 && each.type === wanted[index])
  );
}

const nowhere: IntOrStringPlaces = { anyOf: false, firstAllOf: false };

/** Checks the junctors and the pattern of a schema. */
function restrictionCauses(
  schema: JsonSchema,
  path: FieldPath,
  skipped: IntOrStringPlaces,
): StatusCause[] {
  const { anyOf = [], allOf = [], oneOf = [], not } = schema;
  const within = (list: readonly JsonSchema[], name: string): StatusCause[] =>
    list.flatMap((each, index) => nestedCauses(each, indexPath(childPath(path, name), index)));
  return [
    ...(skipped.anyOf ? [] : within(anyOf, 'anyOf')),
    ...allOf.flatMap((each, index) => {
      const places = index === 0 && skipped.firstAllOf ? { ...nowhere, anyOf: true } : nowhere;
      return nestedCauses(each, indexPath(childPath(path, 'allOf'), index), places);
    }),
    ...within(oneOf, 'oneOf'),
    ...(not === undefined ? [] : nestedCauses(not, childPath(path, 'not'))),
    ...patternCauses(schema, path),
  ];
}

function patternCauses({ pattern }: JsonSchema, path: FieldPath): StatusCause[] {
  const why = pattern === undefined ? undefined : patternSyntaxProblem(pattern);
  if (why === undefined) return [];
  const detail = `must be a valid regular expression, but isn't: ${why}`;
  return [invalid(childPath(path, 'pattern'), pattern, detail)];
}

/** Keywords that must be empty, false or undefined inside `allOf`, `anyOf`, `oneOf` and `not`. */
const forbiddenInside: readonly (readonly [keyof JsonSchema | 'title' | 'description', string])[] =
  [
    ['type', 'empty'],
    ['default', 'undefined'],
    ['title', 'empty'],
    ['description', 'empty'],
    ['nullable', 'false'],
    ['x-kubernetes-preserve-unknown-fields', 'false'],
    ['x-kubernetes-embedded-resource', 'false'],
    ['x-kubernetes-int-or-string', 'false'],
    ['x-kubernetes-list-map-keys', 'empty'],
    ['x-kubernetes-list-type', 'undefined'],
    ['x-kubernetes-map-type', 'undefined'],
    ['x-kubernetes-validations', 'empty'],
  ];

function nestedCauses(
  schema: JsonSchema,
  path: FieldPath,
  places: IntOrStringPlaces = nowhere,
): StatusCause[] {
  const { items, properties = {}, additionalProperties: values } = schema;
  const propertiesPath = childPath(path, 'properties');
  return [
    ...restrictionCauses(schema, path, places),
    ...(items === undefined ? [] : nestedCauses(items, childPath(path, 'items'))),
    ...Object.entries(properties).flatMap(([name, property]) =>
      nestedCauses(property, keyPath(propertiesPath, name)),
    ),
    ...(values === undefined || values === false
      ? []
      : [forbidden(childPath(path, 'additionalProperties'), 'must be undefined to be structural')]),
    ...forbiddenInside
      .filter(([name, what]) => isSet(Reflect.get(schema, name), what))
      .map(([name, what]) => forbidden(childPath(path, name), `must be ${what} to be structural`)),
    ...(Object.hasOwn(properties, 'metadata')
      ? [
          forbidden(
            keyPath(propertiesPath, 'metadata'),
            'must not be specified in a nested context',
          ),
        ]
      : []),
  ];
}

function isSet(value: unknown, what: string): boolean {
  if (value === undefined || value === null) return false;
  if (what === 'undefined') return true;
  return Array.isArray(value) ? value.length > 0 : value !== '' && value !== false;
}

const wherever: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

function typeCauses(schema: JsonSchema, level: Level, path: FieldPath): StatusCause[] {
  const { type = '' } = schema;
  const field = childPath(path, 'type');
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  const causes: StatusCause[] = [];
  if (isEmbedded && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    causes.push(type === '' ? required(field, detail) : invalid(field, type, detail));
  } else if (type === '' && !mayLackType(schema)) {
    causes.push(required(field, wherever[level]));
  }
  if (isEmbedded && schema.additionalProperties !== undefined) {
    const detail = 'must not be used if x-kubernetes-embedded-resource is set';
    causes.push(forbidden(childPath(path, 'additionalProperties'), detail));
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    causes.push(invalid(field, type, 'must be object at the root'));
  }
  return causes;
}

function mayLackType(schema: JsonSchema): boolean {
  return (
    schema['x-kubernetes-int-or-string'] === true ||
    schema['x-kubernetes-preserve-unknown-fields'] === true
  );
}

/** Restricts the schemas of the members that every object has. */
function metadataCauses(schema: JsonSchema, level: Level, path: FieldPath): StatusCause[] {
  if (level !== 'root' && schema['x-kubernetes-embedded-resource'] !== true) return [];
  const { properties = {} } = schema;
  const { metadata } = properties;
  const placeOf = (name: string): FieldPath => keyPath(childPath(path, 'properties'), name);
  return [
    ...['kind', 'apiVersion'].flatMap((name) => {
      const type = properties[name]?.type ?? '';
      const isWrong = Object.hasOwn(properties, name) && type !== 'string';
      return isWrong ? [invalid(childPath(placeOf(name), 'type'), type, 'must be string')] : [];
    }),
    ...(metadata === undefined || metadata.type === 'object'
      ? []
      : [invalid(childPath(placeOf('metadata'), 'type'), metadata.type ?? '', 'must be object')]),
    ...(metadata === undefined || level !== 'root' || isNamesOnly(metadata)
      ? []
      : [
          forbidden(
            placeOf('metadata'),
            'must not specify anything other than name and generateName, but metadata is implicitly specified',
          ),
        ]),
  ];
}

/** True for a schema of metadata that restricts nothing except the names. */
function isNamesOnly({
  type: _type,
  default: _default,
  properties = {},
  ...rest
}: JsonSchema): boolean {
  const names = Object.keys(properties);
  if (names.some((name) => name !== 'name' && name !== 'generateName')) return false;
  return Object.values(rest).every(
    (value) => value === '' || value === false || (Array.isArray(value) && value.length === 0),
  );
}

/** An embedded object must declare properties or preserve unknown fields. */
function emptyEmbeddedCauses(schema: JsonSchema, path: FieldPath): StatusCause[] {
  if (schema['x-kubernetes-embedded-resource'] !== true) return [];
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (isOpen || Object.keys(schema.properties ?? {}).length > 0) return [];
  const detail =
    'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
  return [required(childPath(path, 'properties'), detail)];
}
