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

/**
 * Validates a reference to an object of any version. The `group` of its `apiVersion` is required or optional; an
 * `unchecked` version may be invalid.
 */
export function validateReference(
  reference: JsonObject,
  path: FieldPath,
  group: 'required' | 'optional' | 'unchecked',
): StatusCause[] {
  return [
    ...['kind', 'name'].flatMap((name) =>
      textAt(reference, name) === ''
        ? [required(childPath(path, name))]
        : validName(checkPathSegment, reference[name], childPath(path, name)),
    ),
    ...(group === 'unchecked'
      ? []
      : validateVersion(textAt(reference, 'apiVersion'), childPath(path, 'apiVersion'), group)),
  ];
}

function validateVersion(
  version: string,
  path: FieldPath,
  group: 'required' | 'optional',
): StatusCause[] {
  const parts = version.split('/');
  if (parts.length > 2) {
    return [invalid(path, version, `unexpected GroupVersion string: ${version}`)];
  }
  const isMissing = group === 'required' && (parts.length === 1 || parts[0] === '');
  return isMissing ? [invalid(path, version, 'apiVersion must specify API group')] : [];
}
