import { textAt } from '../../json/json-members.ts';
import type { StatusCause } from '@keelson/apimachinery';
import { checkPathSegment } from '@keelson/cel/internal';
import {
  childPath,
  type FieldPath,
  invalid,
  type JsonObject,
  required,
} from '@keelson/structural-schema';
import { validName } from '../../schema/validation-rule.ts';

/** Validates a reference to an object of any version. */
export function validateReference(
  reference: JsonObject,
  path: FieldPath,
  needsGroup: boolean,
): StatusCause[] {
  const apiVersion = textAt(reference, 'apiVersion');
  const field = childPath(path, 'apiVersion');
  const isMissing = needsGroup && !apiVersion.includes('/');
  return [
    ...['kind', 'name'].flatMap((name) =>
      textAt(reference, name) === ''
        ? [required(childPath(path, name))]
        : validName(checkPathSegment, reference[name], childPath(path, name)),
    ),
    ...(isMissing ? [invalid(field, apiVersion, 'apiVersion must specify API group')] : []),
  ];
}
