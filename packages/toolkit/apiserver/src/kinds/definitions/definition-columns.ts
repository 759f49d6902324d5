import type { StatusCause } from '@keelson/apimachinery';
import {
  childPath,
  type FieldPath,
  indexPath,
  invalid,
  isJsonObject,
  required,
} from '@keelson/structural-schema';
import { textAt } from '../../json/json-members.ts';
import type { PlacedPart } from './internal-form.ts';
import { validateSimplePath } from './simple-path.ts';

const types = ['boolean', 'date', 'integer', 'number', 'string'];
const formats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

/** Validates the printer columns of a version. */
export function validateColumns({ value, path }: PlacedPart): StatusCause[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((column, index) =>
    isJsonObject(column) ? columnCauses(column, indexPath(path, index)) : [],
  );
}

function columnCauses(column: Parameters<typeof textAt>[0], path: FieldPath): StatusCause[] {
  const [type, format, jsonPath] = ['type', 'format', 'jsonPath'].map((name) =>
    textAt(column, name),
  ) as [string, string, string];
  const causes: StatusCause[] = [];
  const field = childPath(path, 'type');
  if (textAt(column, 'name') === '') causes.push(required(childPath(path, 'name')));
  if (type === '') causes.push(required(field, oneOf(types)));
  else if (!types.includes(type)) causes.push(invalid(field, type, oneOf(types)));
  if (format !== '' && !formats.includes(format)) {
    causes.push(invalid(childPath(path, 'format'), format, oneOf(formats)));
  }
  const pathField = childPath(path, 'JSONPath');
  if (jsonPath === '') return [...causes, required(pathField)];
  return [...causes, ...validateSimplePath(jsonPath, pathField)];
}

function oneOf(list: readonly string[]): string {
  return `must be one of ${list.join(',')}`;
}
