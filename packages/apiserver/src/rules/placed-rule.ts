import { endless, requestBytes } from '@keelson/cel/internal';
import { childPath, type FieldPath, indexPath, keyPath } from '../schema/field-path.ts';
import type { JsonSchema } from '../schema/structural/structural-schema.ts';
import type { CompiledRule } from './compiled-rule.ts';
import type { RuleTree } from './rule-tree.ts';

/** A rule and where in the schema it stands. */
export interface PlacedRule {
  readonly rule: CompiledRule;
  readonly field: FieldPath;
  /** The part of the schema around the rule whose old and new values cannot be told apart. */
  readonly uncorrelatable: FieldPath | undefined;
  /** How often the rule may have to be evaluated for one object. */
  readonly times: number;
}

/** The lists and maps that a schema is nested in. */
interface Nesting {
  readonly uncorrelatable: FieldPath | undefined;
  /** How many values of the schema an object may hold; undefined if nothing bounds them. */
  readonly count: number | undefined;
}

/** The rules of a definition, those that lie deepest first. */
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
  return Math.min(count * each, endless);
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

/** Where nothing bounds it: so often as the smallest value fits into a request. */
function mostInRequest({ type }: RuleTree): number {
  return Math.floor(requestBytes / ((type?.smallest ?? 0) + 1));
}
