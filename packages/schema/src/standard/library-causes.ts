import type { StatusCause } from '@keelson/apimachinery';
import { childPath, type FieldPath, indexPath, type JsonValue } from '@keelson/structural-schema';
import { refusal } from '../literal/refusal.ts';
import type { SchemaInput } from './schema-input.ts';
import { isStandardSchema, type StandardIssue } from './standard-schema.ts';

/**
 * Returns the causes that only the library finds, such as those of a refinement, which a CRD cannot express. Throws
 * `SCHEMA_INVALID` for an asynchronous refinement.
 */
export function libraryCauses(
  schema: SchemaInput | undefined,
  value: JsonValue | undefined,
  field: FieldPath,
): StatusCause[] {
  if (value === undefined || !isStandardSchema(schema)) return [];
  const result = schema['~standard'].validate?.(value);
  if (result instanceof Promise) {
    result.catch(() => undefined);
    throw refusal(
      field,
      'an asynchronous refinement, or one that throws',
      'check it in the reconciler or a webhook',
    );
  }
  return (result?.issues ?? []).map((issue) => ({
    reason: 'FieldValueInvalid',
    field: pathOf(issue, field),
    message: `Invalid value: ${issue.message}`,
  }));
}

function pathOf({ path = [] }: StandardIssue, field: FieldPath): FieldPath {
  return path.reduce<FieldPath>((parent, segment) => {
    const key = typeof segment === 'object' ? segment.key : segment;
    return typeof key === 'number' ? indexPath(parent, key) : childPath(parent, String(key));
  }, field);
}
