import type { StatusCause } from '@keelson/apimachinery';
import { isJsonObject, type JsonValue } from '../json/json-value.ts';
import { validateExpressions } from '../rules/validate-expressions.ts';
import { forbidden, invalid, notSupported } from '../validation/field-error.ts';
import { childPath, type FieldPath, indexPath, keyPath } from '../validation/field-path.ts';
import { type JsonSchema } from '../validation/json-schema.ts';
import { validateListTypes } from './list-type-rules.ts';

/** A schema as a client may send it, also with the keywords that Kubernetes refuses. */
export interface SentSchema extends JsonSchema {
  id?: string;
  $schema?: string;
  $ref?: string;
  uniqueItems?: boolean;
  additionalItems?: JsonSchema | boolean;
  patternProperties?: Record<string, JsonSchema>;
  definitions?: Record<string, JsonSchema>;
  dependencies?: Record<string, JsonSchema | string[]>;
}

/** The place of a schema in the schema of a resource. */
interface Place {
  readonly path: FieldPath;
  readonly isRoot: boolean;
  /** True inside the schema of metadata, `kind` or `apiVersion`. */
  readonly isInsideMetadata: boolean;
  /** Why defaults are refused here; undefined where they are allowed. */
  readonly noDefaults: string | undefined;
}

/** Returns the causes for keywords that a definition must not have, at any depth. */
export function validateOpenApi(root: SentSchema, path: FieldPath): StatusCause[] {
  return causesAt(root, { path, isRoot: true, isInsideMetadata: false, noDefaults: undefined });
}

function causesAt(schema: SentSchema, place: Place): StatusCause[] {
  const { path } = place;
  return [
    ...keywordCauses(schema, place),
    ...(schema.uniqueItems === true
      ? [
          forbidden(
            childPath(path, 'uniqueItems'),
            'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
          ),
        ]
      : []),
    ...partCauses(schema, place),
    ...(schema['x-kubernetes-preserve-unknown-fields'] === false
      ? [
          invalid(
            childPath(path, 'x-kubernetes-preserve-unknown-fields'),
            false,
            'must be true or undefined',
          ),
        ]
      : []),
    ...validateListTypes(schema, path),
    ...validateExpressions(schema, path),
  ];
}

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

function keywordCauses(schema: SentSchema, place: Place): StatusCause[] {
  const { type = '', items } = schema;
  const at = (name: string): FieldPath => childPath(place.path, name);
  const causes: StatusCause[] = [];
  if (type !== '' && !types.includes(type)) causes.push(notSupported(at('type'), type, types));
  if (isPresent(schema.default) && place.noDefaults !== undefined) {
    causes.push(forbidden(at('default'), `must not be set ${place.noDefaults}`));
  }
  const unsupported = unsupportedKeywords.filter((name) => isUnsupported(schema, name));
  causes.push(...unsupported.map((name) => forbidden(at(name), `${name} is not supported`)));
  if (type === 'null') {
    const detail = 'type cannot be set to null, use nullable as an alternative';
    causes.push(forbidden(at('type'), detail));
  }
  if (Array.isArray(items) && items.length > 0) {
    causes.push(forbidden(at('items'), 'items must be a schema object and not an array'));
  }
  if (place.isInsideMetadata && schema['x-kubernetes-embedded-resource'] === true) {
    const name = 'x-kubernetes-embedded-resource';
    causes.push(forbidden(at(name), 'must not be used inside of resource meta'));
  }
  return causes;
}

const unsupportedKeywords = [
  'id',
  'additionalItems',
  'patternProperties',
  'definitions',
  'dependencies',
  '$ref',
] as const;

function isUnsupported(schema: SentSchema, name: (typeof unsupportedKeywords)[number]): boolean {
  const value = schema[name] as JsonValue | undefined;
  if (!isPresent(value)) return false;
  if (name === 'id') return value !== '';
  const mayBeEmpty = name === 'patternProperties' || name === 'definitions';
  return !mayBeEmpty || Object.keys(value as object).length > 0;
}

function partCauses(schema: SentSchema, place: Place): StatusCause[] {
  const { path } = place;
  const inner = { ...place, isRoot: false };
  const { items, not, allOf = [], oneOf = [], anyOf = [], definitions = {} } = schema;
  const { dependencies = {} } = schema;
  const within = (list: readonly JsonSchema[], name: string): StatusCause[] =>
    list.flatMap((each, index) =>
      causesAt(each, { ...inner, path: indexPath(childPath(path, name), index) }),
    );
  return [
    ...valueCauses(schema, inner),
    ...propertyCauses(schema, place),
    ...(not === undefined ? [] : causesAt(not, { ...inner, path: childPath(path, 'not') })),
    ...within(allOf, 'allOf'),
    ...within(oneOf, 'oneOf'),
    ...within(anyOf, 'anyOf'),
    ...Object.entries(definitions).flatMap(([name, each]) =>
      causesAt(each, { ...inner, path: keyPath(childPath(path, 'definitions'), name) }),
    ),
    ...(Array.isArray(items) ? within(items, 'items') : []),
    ...(isJsonObject(items) ? causesAt(items, { ...inner, path: childPath(path, 'items') }) : []),
    ...Object.entries(dependencies).flatMap(([name, each]) =>
      Array.isArray(each)
        ? []
        : causesAt(each, { ...inner, path: keyPath(childPath(path, 'dependencies'), name) }),
    ),
  ];
}

function valueCauses(schema: SentSchema, inner: Place): StatusCause[] {
  const { properties = {}, additionalProperties: values } = schema;
  if (values === undefined) return [];
  const path = childPath(inner.path, 'additionalProperties');
  const isBoth = Object.keys(properties).length > 0 && values !== true;
  const detail = 'additionalProperties and properties are mutual exclusive';
  const below = inner.isInsideMetadata
    ? { ...inner, noDefaults: 'inside additionalProperties applying to object metadata' }
    : inner;
  return [
    ...(isBoth ? [forbidden(path, detail)] : []),
    ...(typeof values === 'object' ? causesAt(values, { ...below, path }) : []),
  ];
}

const metadataMembers: ReadonlySet<string> = new Set(['metadata', 'kind', 'apiVersion']);

function propertyCauses(schema: SentSchema, place: Place): StatusCause[] {
  const isObject = place.isRoot || schema['x-kubernetes-embedded-resource'] === true;
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const isMetadata = isObject && metadataMembers.has(name);
    return causesAt(property, {
      path: keyPath(childPath(place.path, 'properties'), name),
      isRoot: false,
      isInsideMetadata: place.isInsideMetadata || isMetadata,
      noDefaults: isMetadata && place.isRoot ? `in top-level ${name}` : place.noDefaults,
    });
  });
}

/** True for a keyword that is set; null counts as missing. */
export function isPresent(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}
