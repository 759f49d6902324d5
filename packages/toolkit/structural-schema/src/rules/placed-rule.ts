import { MAX_COST, MAX_REQUEST_BYTES } from '@keelson/cel/internal';
import { childPath, type FieldPath, indexPath, keyPath } from '../validation/field-path.ts';
import type { JsonSchema } from '../validation/json-schema.ts';
import type { CompiledRule } from './compiled-rule.ts';
import type { RuleTree } from './rule-tree.ts';

/** A rule and its position in the schema. */
export interface PlacedRule {
  readonly rule: CompiledRule;
  readonly field: FieldPath;
  /** The surrounding part of the schema whose old and new values cannot be correlated. */
  readonly uncorrelatable: FieldPath | undefined;
  /** Maximum number of evaluations per object. */
  readonly times: number;
}

/** The lists and maps around a part of the schema. */
interface Nesting {
  readonly uncorrelatable: FieldPath | undefined;
  /** Maximum number of values of the schema in one object; undefined if it is unbounded. */
  readonly count: number | undefined;
}

/** Lists the rules of a definition, the deepest ones first. */
export function placeRules(root: RuleTree, path: FieldPath): readonly PlacedRule[] {
  return rulesOf(root, path, { uncorrelatable: undefined, count: 1 });
}

function rulesOf(tree: RuleTree, path: FieldPath, around: Nesting): readonly PlacedRule[] {
  const { schema, additionalProperties: values, items } = tree;
  const inner = { ...around, count: countWithin(schema, around.count) };
  const keyed = schema['x-kubernetes-list-type'] === 'map';
  const uncorrelatable = around.uncorrelatable ?? (keyed ? undefined : path);
  return [
    ...(values ? rulesOf(values, childPath(path, 'additionalProperties'), inner) : []),
    ...[...tree.properties].flatMap(([name, each]) =>
      rulesOf(each, keyPath(childPath(path, 'properties'), name), inner),
    ),
    ...(items ? rulesOf(items, childPath(path, 'items'), { ...inner, uncorrelatable }) : []),
    ...tree.rules.map((rule, index) => ({
      rule,
      field: indexPath(childPath(path, 'x-kubernetes-validations'), index),
      uncorrelatable: around.uncorrelatable,
      times: around.count ?? mostInRequest(tree),
    })),
  ];
}

function countWithin(schema: JsonSchema, count: number | undefined): number | undefined {
  const each = elementsOf(schema);
  if (count === undefined || each === undefined) return undefined;
  return Math.min(count * each, MAX_COST);
}

function elementsOf({
  type,
  additionalProperties,
  maxProperties,
  maxItems,
}: JsonSchema): number | undefined {
  if (type === 'array') return maxItems;
  return type === 'object' && additionalProperties !== undefined ? maxProperties : 1;
}

/** Without a bound: how often the smallest value fits into a request. */
function mostInRequest({ type }: RuleTree): number {
  return Math.floor(MAX_REQUEST_BYTES / ((type?.smallest ?? 0) + 1));
}
