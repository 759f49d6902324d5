import { goTrim } from '@keelson/cel/internal';
import type { StatusCause } from '@keelson/apimachinery';
import { celLibrary } from './cel-library.ts';
import { type PlacedRule, placeRules, type UntypedNode, untypedNodes } from './placed-rule.ts';
import { compileAllRules } from './rule-tree.ts';
import { internalError, invalid, notSupported, required } from '../validation/field-error.ts';
import { childPath, type FieldPath, indexPath } from '../validation/field-path.ts';
import { normalFieldPath } from './rule-field-path.ts';
import type { JsonSchema, ValidationExpression } from '../validation/json-schema.ts';
import { messageCostCauses, ruleCostCauses, totalCostCauses } from './validate-rule-costs.ts';

const reasons = [
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueInvalid',
  'FieldValueRequired',
];

/** Validates the entries of `x-kubernetes-validations` without compilation. */
export function validateExpressions(schema: JsonSchema, path: FieldPath): StatusCause[] {
  return (schema['x-kubernetes-validations'] ?? []).flatMap((expression, index) =>
    validateExpression(schema, expression, expressionPath(path, index)),
  );
}

/** Rejects CEL rules that do not compile or cost too much. */
export function validateCompilation(root: JsonSchema, path: FieldPath): StatusCause[] {
  const tree = compileAllRules(celLibrary(), root);
  if (tree === undefined) return [];
  const rules = placeRules(tree, path);
  return [
    ...untypedNodes(tree, path).map(untypedCause),
    ...rules.flatMap(compilationCauses),
    ...totalCostCauses(rules, path),
  ];
}

function untypedCause({ path, problem }: UntypedNode): StatusCause {
  return internalError(childPath(path, 'x-kubernetes-validations'), problem);
}

function compilationCauses(placed: PlacedRule): StatusCause[] {
  const { rule, field, uncorrelatable } = placed;
  const { expression, error, messageError, usesOldSelf } = rule;
  const causes: StatusCause[] = [...ruleCostCauses(placed)];
  const shown = shownExpression(expression);
  if (error !== undefined) causes.push(invalid(childPath(field, 'rule'), shown, error));
  if (messageError !== undefined) {
    causes.push(invalid(childPath(field, 'messageExpression'), shown, messageError));
  }
  causes.push(...messageCostCauses(placed));
  if (usesOldSelf && uncorrelatable !== undefined) {
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
    causes.push(invalid(childPath(field, 'rule'), expression.rule, detail));
  }
  if (!usesOldSelf && expression.optionalOldSelf !== undefined) {
    const detail = 'may not be set if oldSelf is not used in rule';
    causes.push(invalid(childPath(field, 'optionalOldSelf'), expression.optionalOldSelf, detail));
  }
  return causes;
}

/** The expression with the member names of Go, as kube-apiserver prints it. */
function shownExpression(expression: ValidationExpression): object {
  const { rule = '', message = '', messageExpression = '' } = expression;
  const { reason = null, fieldPath = '', optionalOldSelf = null } = expression;
  return {
    Rule: rule,
    Message: message,
    MessageExpression: messageExpression,
    Reason: reason,
    FieldPath: fieldPath,
    OptionalOldSelf: optionalOldSelf,
  };
}

function validateExpression(
  schema: JsonSchema,
  { rule = '', message, messageExpression, reason, fieldPath }: ValidationExpression,
  path: FieldPath,
): StatusCause[] {
  const causes: StatusCause[] = [];
  if (goTrim(rule) === '') causes.push(required(childPath(path, 'rule'), 'rule is not specified'));
  else if (message !== undefined && message !== '' && goTrim(message) === '') {
    causes.push(invalid(childPath(path, 'message'), message, 'must be non-empty if specified'));
  } else if (hasLineBreaks(goTrim(message ?? ''))) {
    causes.push(invalid(childPath(path, 'message'), message, 'must not contain line breaks'));
  } else if (hasLineBreaks(goTrim(rule)) && goTrim(message ?? '') === '') {
    const detail = 'message must be specified if rule contains line breaks';
    causes.push(required(childPath(path, 'message'), detail));
  }
  if (messageExpression && goTrim(messageExpression) === '') {
    const detail = 'messageExpression must be non-empty if specified';
    causes.push(required(childPath(path, 'messageExpression'), detail));
  }
  if (reason !== undefined && !reasons.includes(reason)) {
    causes.push(notSupported(childPath(path, 'reason'), reason, reasons));
  }
  return [
    ...causes,
    ...fieldPathProblems(schema, fieldPath).map((problem) =>
      invalid(childPath(path, 'fieldPath'), fieldPath, problem),
    ),
  ];
}

function fieldPathProblems(schema: JsonSchema, fieldPath = ''): readonly string[] {
  if (fieldPath === '') return [];
  return [
    ...(goTrim(fieldPath) === '' ? ['must be non-empty if specified'] : []),
    ...(hasLineBreaks(fieldPath) ? ['must not contain line breaks'] : []),
    ...(normalFieldPath(schema, fieldPath) === undefined ? ['must be a valid path'] : []),
  ];
}

function hasLineBreaks(text = ''): boolean {
  return /[\n\r]/.test(text);
}

function expressionPath(path: FieldPath, index: number): FieldPath {
  return indexPath(childPath(path, 'x-kubernetes-validations'), index);
}
