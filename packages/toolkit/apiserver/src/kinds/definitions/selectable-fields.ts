import type { StatusCause } from '@keelson/apimachinery';
import {
  childPath,
  duplicate,
  type FieldPath,
  indexPath,
  invalid,
  isJsonObject,
  type JsonSchema,
  ownValue,
  required,
  tooMany,
  unsupportedKeyword,
} from '@keelson/structural-schema';
import { textAt } from '../../json/json-members.ts';
import type { PlacedPart } from './internal-form.ts';

/** Most selectable fields of a version. */
const MAX_SELECTABLE_FIELDS = 8;

/** Validates the selectable fields of a version, or those that all versions share. */
export function validateSelectableFields(
  { value, path }: PlacedPart,
  schema: JsonSchema,
): StatusCause[] {
  if (!Array.isArray(value)) return [];
  const problem = unsupportedKeyword(schema);
  const readable = problem === undefined ? schema : {};
  const causes =
    problem === undefined
      ? []
      : [invalid(`${childPath(parentOf(path), 'schema')}.openAPIV3Schema`, '', problem)];
  const seen = new Set<FieldPath>();
  for (const [index, each] of value.entries()) {
    const field = childPath(indexPath(path, index), 'jsonPath');
    const jsonPath = isJsonObject(each) ? textAt(each, 'jsonPath') : '';
    causes.push(...fieldCauses({ jsonPath, field, schema: readable, seen }));
  }
  if (seen.size > MAX_SELECTABLE_FIELDS) {
    causes.push(tooMany(path, seen.size, MAX_SELECTABLE_FIELDS));
  }
  return causes;
}

function parentOf(path: FieldPath): FieldPath {
  return path.slice(0, path.lastIndexOf('.'));
}

interface OneField {
  readonly jsonPath: string;
  readonly field: FieldPath;
  readonly schema: JsonSchema;
  /** The fields before this one. */
  readonly seen: Set<FieldPath>;
}

function fieldCauses({ jsonPath, field, schema, seen }: OneField): StatusCause[] {
  if (jsonPath === '') return [required(field)];
  const found = find(schema, jsonPath);
  if (typeof found === 'string') return [invalid(field, jsonPath, `is an invalid path: ${found}`)];
  const causes: StatusCause[] = [];
  if (/^metadata(?![^.[])/.test(found.path)) {
    causes.push(invalid(field, jsonPath, 'must not point to fields in metadata'));
  }
  if (!['string', 'boolean', 'integer'].includes(found.schema.type ?? '')) {
    const detail =
      'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
    causes.push(invalid(field, jsonPath, detail));
  }
  if (seen.has(found.path)) causes.push(duplicate(field, jsonPath));
  seen.add(found.path);
  return causes;
}

interface FoundField {
  readonly path: FieldPath;
  readonly schema: JsonSchema;
}

/** Finds the schema of a field by its path, or returns why the path is invalid. */
function find(root: JsonSchema, jsonPath: string): FoundField | string {
  let found: FoundField = { path: '', schema: root };
  const tokens = jsonPath.match(/'(?:[^']|(?<=\\)')*'|[.[\]]|[^.[\]']+|'/g) ?? [];
  for (let index = 0; index < tokens.length; index += 2) {
    const token = tokens[index];
    if (token === '[') return 'array notation is not allowed';
    if (token !== '.') return `expected [ or . but got: ${token}`;
    const name = tokens[index + 1];
    if (name === undefined) return 'unexpected end of JSON path';
    const inner = memberOf(found, name);
    if (inner === undefined) return 'does not refer to a valid field';
    found = inner;
  }
  return found;
}

function memberOf({ path, schema }: FoundField, name: string): FoundField | undefined {
  const { properties, additionalProperties: values } = schema;
  if (properties !== undefined && Object.keys(properties).length > 0) {
    const property = ownValue(properties, name);
    return property === undefined ? undefined : { path: childPath(path, name), schema: property };
  }
  if (values === undefined) return undefined;
  return { path: `${path}[${name}]`, schema: typeof values === 'object' ? values : {} };
}
