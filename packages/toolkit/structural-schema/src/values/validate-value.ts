import type { StatusCause } from '@keelson/apimachinery';
import type { JsonValue } from '../json/json-value.ts';
import type { FieldPath } from '../validation/field-path.ts';
import type { JsonSchema } from '../validation/json-schema.ts';
import type { PatternMatcher } from '../validation/pattern-matcher.ts';
import { validateContent } from './validate-content.ts';
import { validateEmbedded } from './validate-embedded.ts';
import { validateLists } from './validate-lists.ts';

/**
 * Returns the causes for which a value violates its schema, in kube-apiserver's words. A part that equals its old part is
 * not validated, and a value whose old value had repeated list items may have some too.
 */
export function validateValue(
  schema: JsonSchema,
  value: JsonValue,
  path: FieldPath,
  patterns: PatternMatcher,
  old?: JsonValue,
): StatusCause[] {
  return [
    ...validateContent(schema, value, path, { patterns, old }),
    ...validateEmbedded(schema, value, path),
    ...newListCauses(schema, value, path, old),
  ];
}

/** Returns the causes for repeated list items, unless the old value had some. */
export function newListCauses(
  schema: JsonSchema,
  value: JsonValue,
  path: FieldPath,
  old: JsonValue | undefined,
): StatusCause[] {
  const causes = validateLists(schema, value, path);
  if (causes.length === 0 || old === undefined) return causes;
  return validateLists(schema, old, path).length > 0 ? [] : causes;
}
