import { objectAt, objectsAt, textAt, textsAt } from '../../json/json-members.ts';
import type { StatusCause } from '@keelson/apimachinery';
import { checkLabelValue, checkQualifiedName } from '@keelson/cel/internal';
import {
  childPath,
  type FieldPath,
  forbidden,
  indexPath,
  invalid,
  type JsonObject,
  required,
  validateLabels,
} from '@keelson/structural-schema';

/** Validates a LabelSelector. */
export function validateLabelSelector(selector: JsonObject, path: FieldPath): StatusCause[] {
  const labels = objectAt(selector, 'matchLabels') as Record<string, string>;
  const expressions = childPath(path, 'matchExpressions');
  return [
    ...validateLabels(labels, childPath(path, 'matchLabels')),
    ...objectsAt(selector, 'matchExpressions').flatMap((expression, index) =>
      validateExpression(expression, indexPath(expressions, index)),
    ),
  ];
}

/** True if kube-apiserver can build a selector, which also limits the keys and values of `matchLabels`. */
export function isSelector(selector: JsonObject): boolean {
  return validateLabelSelector(selector, '').length === 0;
}

/** Validates one requirement of a label selector. */
export function validateExpression(expression: JsonObject, path: FieldPath): StatusCause[] {
  const values = textsAt(expression, 'values');
  return [
    ...validateOperator(textAt(expression, 'operator'), values, path),
    ...checkQualifiedName(textAt(expression, 'key')).map((detail) =>
      invalid(childPath(path, 'key'), textAt(expression, 'key'), detail),
    ),
    ...values.flatMap((value, index) =>
      checkLabelValue(value).map((detail) =>
        invalid(indexPath(childPath(path, 'values'), index), value, detail),
      ),
    ),
  ];
}

function validateOperator(
  operator: string,
  values: readonly string[],
  path: FieldPath,
): StatusCause[] {
  const field = childPath(path, 'values');
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length > 0) return [];
      return [required(field, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) return [];
      return [
        forbidden(field, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
      ];
    default:
      return [invalid(childPath(path, 'operator'), operator, 'not a valid selector operator')];
  }
}
