import type { StatusCause } from '@keelson/apimachinery';
import { MAX_COST } from '@keelson/cel/internal';
import type { PlacedRule } from './placed-rule.ts';
import { forbidden } from '../validation/field-error.ts';
import { childPath, type FieldPath } from '../validation/field-path.ts';

/** The cost limit of one rule and of all rules of a schema: `StaticEstimatedCostLimit` of kube-apiserver. */
const MAX_RULE_COST = 10_000_000;
const MAX_SCHEMA_COST = 100_000_000;

/** The cause for a rule above its cost limit. */
export function ruleCostCauses({ rule, field, times }: PlacedRule): readonly StatusCause[] {
  const cost = product(rule.cost, times);
  if (cost <= MAX_RULE_COST) return [];
  return [
    forbidden(childPath(field, 'rule'), overBudget('estimated rule cost', cost / MAX_RULE_COST)),
  ];
}

export function messageCostCauses({ rule, field }: PlacedRule): readonly StatusCause[] {
  if (rule.messageCost <= MAX_RULE_COST) return [];
  const words = overBudget('estimated messageExpression cost', rule.messageCost / MAX_RULE_COST);
  return [forbidden(childPath(field, 'messageExpression'), words)];
}

/** The causes for a schema above its total cost limit: the four most expensive rules and the total. */
export function totalCostCauses(
  rules: readonly PlacedRule[],
  path: FieldPath,
): readonly StatusCause[] {
  const costs = rules.flatMap(costsOf);
  const total = Math.min(
    costs.reduce((sum, { cost }) => sum + cost, 0),
    MAX_COST,
  );
  if (total <= MAX_SCHEMA_COST) return [];
  const worst = costs
    .filter(({ cost }) => cost >= MAX_SCHEMA_COST / 100)
    .toSorted((one, other) => other.cost - one.cost)
    .slice(0, 4);
  const name = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
  return [
    ...worst.map(({ field }) => forbidden(field, contributed)),
    forbidden(path, overBudget(name, total / MAX_SCHEMA_COST)),
  ];
}

const contributed =
  'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';

interface Cost {
  readonly field: FieldPath;
  readonly cost: number;
}

function costsOf({ rule, field, times }: PlacedRule): readonly Cost[] {
  const cost = { field: childPath(field, 'rule'), cost: product(rule.cost, times) };
  if (rule.messageCost === 0) return [cost];
  return [cost, { field: childPath(field, 'messageExpression'), cost: rule.messageCost }];
}

function product(cost: number, times: number): number {
  return Math.min(cost * times, MAX_COST);
}

function overBudget(name: string, factor: number): string {
  return `${name} exceeds budget by factor of ${shownFactor(factor)} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

function shownFactor(factor: number): string {
  if (factor > 100) return 'more than 100x';
  return `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`;
}
