import { objectAt, objectsAt, textAt } from '../../json/json-members.ts';
import type { StatusCause } from '@keelson/apimachinery';
import {
  childPath,
  cloneJson,
  type FieldPath,
  forbidden,
  forbidNestedRules,
  invalid,
  isJsonObject,
  type JsonObject,
  type JsonSchema,
  keyPath,
  notSupported,
  PatternMatcher,
  required,
  validateCompilation,
  validateExpressions,
  validateStructure,
  validateValue,
} from '@keelson/structural-schema';
import { validateDefinitionNames, validateDefinitionVersions } from './definition-names.ts';
import { validateSubresources } from './definition-subresources.ts';
import { prune } from '../../schema/prune.ts';
import { typeOfSchema } from '../../schema/structural/structural-schema.ts';
import type { ValidationRules } from '../../schema/validation-rule.ts';

const scopes = ['Cluster', 'Namespaced'];
const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** Validation rules of CustomResourceDefinitions. */
export const definitionRules: ValidationRules = {
  'apiextensions.v1.CustomResourceDefinition': (definition) => {
    const spec = objectAt(definition, 'spec');
    const expected = `${textAt(objectAt(spec, 'names'), 'plural')}.${textAt(spec, 'group')}`;
    const name = textAt(objectAt(definition, 'metadata'), 'name');
    const causes = [...validateDefinitionVersions(spec), ...validateVersions(definition)];
    if (name !== expected) {
      causes.push(invalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group'));
    }
    return causes;
  },
  'apiextensions.v1.CustomResourceDefinitionSpec': (spec, path) => {
    const scope = textAt(spec, 'scope');
    return scope === '' || scopes.includes(scope)
      ? []
      : [notSupported(childPath(path, 'scope'), scope, scopes)];
  },
  'apiextensions.v1.CustomResourceDefinitionNames': validateDefinitionNames,
};

function validateVersions(definition: JsonObject): StatusCause[] {
  const spec = objectAt(definition, 'spec');
  const versions = objectsAt(spec, 'versions');
  const causes: StatusCause[] = [];
  const stored = versions.filter((version) => version.storage === true);
  if (stored.length !== 1) {
    const detail = 'must have exactly one version marked as storage version';
    causes.push(invalid('spec.versions', spec.versions, detail));
  }
  if (stored.length === 0) {
    causes.push(invalid('status.storedVersions', null, 'must have at least one stored version'));
  }
  for (const [index, version] of versions.entries()) {
    causes.push(...validateDeprecation(version, `spec.versions[${index}].deprecationWarning`));
    const place = versions.length === 1 ? 'spec' : `spec.versions[${index}]`;
    causes.push(...validateSubresources(version, childPath(place, 'subresources')));
    const schema = objectAt(version, 'schema').openAPIV3Schema;
    if (!isJsonObject(schema)) {
      causes.push(required(`spec.versions[${index}].schema.openAPIV3Schema`));
      continue;
    }
    const hasStatus = objectAt(version, 'subresources').status !== undefined;
    const path = childPath(pathOfSchema(versions, index), 'openAPIV3Schema');
    causes.push(...validateRoot(schema, hasStatus, path));
  }
  return causes;
}

const LONGEST_DEPRECATION_WARNING = 256;

function validateDeprecation(version: JsonObject, path: FieldPath): StatusCause[] {
  const { deprecated, deprecationWarning: warning } = version;
  if (typeof warning !== 'string') return [];
  if (deprecated !== true)
    return [invalid(path, warning, 'can only be set for deprecated versions')];
  const unprintable = /[^\P{C}]|[^\P{Z} ]/u.exec(warning);
  const details = [
    ...(warning.length > LONGEST_DEPRECATION_WARNING ? ['must be <= 256 characters long'] : []),
    ...(warning === '' ? ['must not be an empty string'] : []),
    ...(unprintable === null
      ? []
      : [
          `must only contain printable UTF-8 characters; non-printable character found at index ${unprintable.index}`,
        ]),
  ];
  return details.map((detail) => invalid(path, warning, detail));
}

/** kube-apiserver reports the schema of a single version under the older field for all versions. */
function pathOfSchema(versions: readonly JsonObject[], index: number): FieldPath {
  return versions.length === 1 ? 'spec.validation' : `spec.versions[${index}].schema`;
}

function validateRoot(schema: JsonSchema, hasStatus: boolean, path: FieldPath): StatusCause[] {
  const { type } = schema;
  const field = childPath(path, 'type');
  if (type === undefined) return [required(field, 'must not be empty at the root')];
  const causes = validateSchema(schema, path);
  if (type === 'object') {
    return causes.length > 0 ? causes : validateCompilation(schema, path);
  }
  if (hasStatus) {
    const detail =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    causes.push(invalid(field, type, detail));
  }
  return [...causes, invalid(field, type, 'must be object at the root')];
}

function validateSchema(schema: JsonSchema, path: FieldPath): StatusCause[] {
  return [
    ...validateType(schema, path),
    ...validateEmbedded(schema, path),
    ...validateStructure(schema, path),
    ...validateDefault(schema, path),
    ...validateExpressions(schema, path),
    ...forbidNestedRules(schema, path),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
      validateProperty(property, keyPath(childPath(path, 'properties'), name)),
    ),
    ...(typeof schema.additionalProperties === 'object'
      ? validateProperty(schema.additionalProperties, childPath(path, 'additionalProperties'))
      : []),
    ...(schema.items === undefined ? [] : validateProperty(schema.items, childPath(path, 'items'))),
  ];
}

function validateProperty(schema: JsonSchema, path: FieldPath): StatusCause[] {
  const mayLackType =
    schema['x-kubernetes-int-or-string'] === true ||
    schema['x-kubernetes-preserve-unknown-fields'] === true ||
    '$ref' in schema;
  if (schema.type === undefined && !mayLackType) {
    const what = path.endsWith('items') ? 'array items' : 'object fields';
    return [required(childPath(path, 'type'), `must not be empty for specified ${what}`)];
  }
  return validateSchema(schema, path);
}

function validateType(schema: JsonSchema, path: FieldPath): StatusCause[] {
  const { type } = schema;
  const causes: StatusCause[] = [];
  if (type !== undefined && !types.includes(type)) {
    causes.push(notSupported(childPath(path, 'type'), type, types));
  }
  if (type === 'array' && schema.items === undefined) {
    causes.push(required(childPath(path, 'items'), 'must be specified'));
  }
  if (schema.properties !== undefined && schema.additionalProperties !== undefined) {
    const detail = 'additionalProperties and properties are mutual exclusive';
    causes.push(forbidden(childPath(path, 'additionalProperties'), detail));
  }
  return causes;
}

/** An embedded object must declare properties or preserve unknown fields. */
function validateEmbedded(schema: JsonSchema, path: FieldPath): StatusCause[] {
  if (schema['x-kubernetes-embedded-resource'] !== true) return [];
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (isOpen || Object.keys(schema.properties ?? {}).length > 0) return [];
  return [
    required(
      childPath(path, 'properties'),
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
    ),
  ];
}

function validateDefault(schema: JsonSchema, path: FieldPath): StatusCause[] {
  if (schema.default === undefined) return [];
  const field = childPath(path, 'default');
  const causes = validateValue(schema, schema.default, '', new PatternMatcher()).map((cause) => ({
    ...cause,
    field,
  }));
  if (causes.length > 0 || !isJsonObject(schema.default)) return causes;
  const removed = prune(typeOfSchema(schema), cloneJson(schema.default));
  return removed.length === 0
    ? []
    : [invalid(field, schema.default, 'must not have unknown fields')];
}
