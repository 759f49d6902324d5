import type { StatusCause } from '@keelson/apimachinery';
import { invalid } from '../validation/field-error.ts';
import { type ComparedValue, evaluateRules } from './evaluate-rules.ts';
import type { RuleTree } from './rule-tree.ts';

/** The causes of the schema together with those of its rules. */
export interface CheckedRules {
  readonly causes: readonly StatusCause[];
  /** Violations that the update leaves unchanged. They do not refuse the update. */
  readonly ratcheted: readonly StatusCause[];
}

/**
 * Adds the violated rules to the causes that validation found. Rules assume an object that its schema accepts, so that
 * they are not evaluated after some of the causes, which then end with a note.
 */
export function checkedRules(
  tree: RuleTree | undefined,
  causes: readonly StatusCause[],
  compared: ComparedValue,
): CheckedRules {
  if (tree === undefined) return { causes, ratcheted: [] };
  if (causes.some(({ reason }) => blockingReasons.has(reason))) {
    return { causes: [...causes, unchecked], ratcheted: [] };
  }
  const { refused, ratcheted } = evaluateRules(tree, compared);
  return { causes: [...causes, ...refused], ratcheted };
}

const blockingReasons: ReadonlySet<string | undefined> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const unchecked: StatusCause = invalid(
  '<nil>',
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
);
