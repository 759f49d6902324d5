import { CodedError } from '../coded-error.ts';
import { apimachineryErrors } from '../errors.ts';
import { LabelSelectorParser } from './label-selector-parser.ts';
import {
  normalRequirements,
  printLabelSelector,
  type LabelOperator,
  type LabelRequirement,
  type LabelRequirements,
} from './label-requirement.ts';
import { labelKeyProblem, labelValueProblem } from '../objects/name.ts';

/** One entry of `matchExpressions`. */
export interface LabelSelectorRequirement {
  key: string;
  operator: string;
  values?: readonly string[];
}

/** A label selector as API objects contain it (`spec.selector` of a Deployment). */
export interface LabelSelector {
  matchLabels?: Readonly<Record<string, string>>;
  matchExpressions?: readonly LabelSelectorRequirement[];
}

/**
 * Parses a selector such as `app=web,tier in (front, back),!legacy,size>3`, with every operator of the
 * Kubernetes label parser. The empty selector selects everything. Throws `INVALID_LABEL_SELECTOR` with the
 * position of the error.
 */
export function parseLabelSelector(text: string): LabelRequirements {
  return normalRequirements(new LabelSelectorParser(text).parse());
}

/**
 * Returns the requirements of a selector object. `{}` selects everything; the caller handles a missing
 * selector, which selects nothing in some parts of the API. Throws `INVALID_LABEL_SELECTOR`.
 */
export function labelRequirementsOf(selector: LabelSelector): LabelRequirements {
  checkShape(selector);
  const equalities = Object.entries(selector.matchLabels ?? {}).map(([key, value]) =>
    checked(`matchLabels.${key}`, { key, operator: 'in', values: [value] }),
  );
  const expressions = (selector.matchExpressions ?? []).map((expression, index) =>
    fromExpression(`matchExpressions[${index}]`, expression),
  );
  return normalRequirements([...equalities, ...expressions]);
}

/**
 * Returns the normal form of a selector as text: equal selectors have equal strings. Throws
 * `INVALID_LABEL_SELECTOR`.
 */
export function normalLabelSelector(selector: string | LabelSelector): string {
  return printLabelSelector(
    typeof selector === 'string' ? parseLabelSelector(selector) : labelRequirementsOf(selector),
  );
}

function checkShape(selector: LabelSelector): void {
  if (!isObject(selector)) throw invalid('', 'must be an object');
  const { matchLabels = {}, matchExpressions = [] } = selector;
  if (!isObject(matchLabels)) throw invalid('matchLabels', 'must be an object');
  if (!Array.isArray(matchExpressions) || !matchExpressions.every(isObject))
    throw invalid('matchExpressions', 'must be a list of objects');
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const operators: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', 'notexists'],
]);

function fromExpression(position: string, expression: LabelSelectorRequirement): LabelRequirement {
  const operator = operators.get(expression.operator);
  if (operator === undefined) {
    throw invalid(position, `unknown operator ${JSON.stringify(expression.operator)}`);
  }
  const values = expression.values ?? [];
  const wantsValues = operator === 'in' || operator === 'notin';
  if (wantsValues !== values.length > 0) {
    throw invalid(position, `${expression.operator} takes ${wantsValues ? 'values' : 'no values'}`);
  }
  return checked(position, { key: expression.key, operator, values });
}

function checked(position: string, requirement: LabelRequirement): LabelRequirement {
  const problem =
    labelKeyProblem(requirement.key) ??
    requirement.values.map(labelValueProblem).find((found) => found !== undefined);
  if (problem !== undefined) throw invalid(position, problem);
  return requirement;
}

function invalid(position: string, reason: string): CodedError {
  return new CodedError('INVALID_LABEL_SELECTOR', apimachineryErrors.INVALID_LABEL_SELECTOR, {
    position,
    reason,
  });
}
