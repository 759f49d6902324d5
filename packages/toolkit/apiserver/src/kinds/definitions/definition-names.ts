import type { StatusCause } from '@keelson/apimachinery';
import { checkDns1035Label, goLower } from '@keelson/cel/internal';
import {
  childPath,
  type FieldPath,
  indexPath,
  invalid,
  type JsonObject,
  type JsonValue,
  required,
} from '@keelson/structural-schema';
import { textAt } from '../../json/json-members.ts';

const texts = ['plural', 'singular', 'kind', 'listKind'] as const;

/** Requires the names that a definition must have; those in its status may be missing. */
export function requireNames(names: JsonObject, path: FieldPath): StatusCause[] {
  return texts
    .filter((name) => textAt(names, name) === '')
    .map((name) => required(childPath(path, name)));
}

/** Validates the names of a CustomResourceDefinition as far as they are present. */
export function validateDefinitionNames(names: JsonObject, path: FieldPath): StatusCause[] {
  const kind = textAt(names, 'kind');
  const isSame = kind !== '' && kind === textAt(names, 'listKind');
  const detail = 'kind and listKind may not be the same';
  return [
    ...texts.flatMap((name) => validateName(names, name, path)),
    ...validateNames(names['shortNames'], childPath(path, 'shortNames')),
    ...(isSame ? [invalid(childPath(path, 'listKind'), kind, detail)] : []),
    ...validateNames(names['categories'], childPath(path, 'categories')),
  ];
}

function validateName(
  names: JsonObject,
  name: (typeof texts)[number],
  path: FieldPath,
): StatusCause[] {
  const value = textAt(names, name);
  if (value === '') return [];
  const isKind = name === 'kind' || name === 'listKind';
  const problem = labelProblem(isKind ? goLower(value) : value);
  if (problem === undefined) return [];
  const words = isKind ? 'may have mixed case, but should otherwise match: ' : '';
  return [invalid(childPath(path, name), value, `${words}${problem}`)];
}

function validateNames(list: JsonValue | undefined, path: FieldPath): StatusCause[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((value, index) => {
    const problem = labelProblem(typeof value === 'string' ? value : '');
    return problem === undefined ? [] : [invalid(indexPath(path, index), value, problem)];
  });
}

/** Returns all that is wrong with a DNS label in one text, as Kubernetes reports it for definitions. */
export function labelProblem(text: string): string | undefined {
  const problems = checkDns1035Label(text);
  return problems.length === 0 ? undefined : problems.join(',');
}
