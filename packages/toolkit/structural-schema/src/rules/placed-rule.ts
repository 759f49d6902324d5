import { MAX_COST, MAX_REQUEST_BYTES } from '@keelson/cel/internal';
import { childPath, type FieldPath, indexPath, keyPath } from '../validation/field-path.ts';
import type { JsonSchema } from '../validation/json-schema.ts';
import type { CompiledRule } from './compiled-rule.ts';
import { expressionsOf, type RuleTree } from './rule-tree.ts';

/** A rule and its position in the schema. */
export interface PlacedRule {
  readonly rule: CompiledRule;
  readonly field: FieldPath;
  /** The surrounding part of the schema whose old and new values cannot be correlated. */
  readonly uncorrelatable: FieldPath | undefined;
  /** Maximum number of evaluations per object. */
  readonly times: number;
}

/** A part of the schema with rules, or with a rule below it. */
interface PlacedNode extends Nesting {
  readonly tree: RuleTree;
  readonly path: FieldPath;
}

/** The lists, maps and rules around a part of the schema. */
interface Nesting {
  readonly uncorrelatable: FieldPath | undefined;
  /** Maximum number of values of the schema in one object; undefined if it is unbounded. */
  readonly count: number | undefined;
  readonly hasRules: boolean;
  /** Why CEL has no type for the node, or for one with rules at or above it; undefined if it has. */
  readonly untyped: string | undefined;
}

const unknownType =
  'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations';
/** A type with rules that is not a list or a map has no type for its items or values. */
const noElement = 'failed to convert to declType for CEL validation rules';

/** Lists the rules of a definition that have a type, the deepest ones first. */
export function placeRules(root: RuleTree, path: FieldPath): readonly PlacedRule[] {
  return nodesOf(root, path)
    .filter(({ untyped }) => untyped === undefined)
    .flatMap(rulesAt);
}

/** Lists the nodes with rules on values that have no type in CEL, and why. */
export function untypedNodes(root: RuleTree, path: FieldPath): readonly UntypedNode[] {
  return nodesOf(root, path).flatMap(({ tree, path: place, untyped }) =>
    untyped === undefined || expressionsOf(tree.schema).length === 0
      ? []
      : [{ path: place, problem: untyped }],
  );
}

export interface UntypedNode {
  readonly path: FieldPath;
  readonly problem: string;
}

function rulesAt({ tree, path, uncorrelatable, count }: PlacedNode): readonly PlacedRule[] {
  return tree.rules.map((rule, index) => ({
    rule,
    field: indexPath(childPath(path, 'x-kubernetes-validations'), index),
    uncorrelatable,
    times: count ?? mostInRequest(tree),
  }));
}

function nodesOf(root: RuleTree, path: FieldPath): readonly PlacedNode[] {
  const around = { uncorrelatable: undefined, count: 1, hasRules: false, untyped: undefined };
  return nodesBelow(root, path, around);
}

function nodesBelow(tree: RuleTree, path: FieldPath, around: Nesting): readonly PlacedNode[] {
  const { schema, additionalProperties: values, items } = tree;
  const hasRules = around.hasRules || expressionsOf(schema).length > 0;
  const untyped = around.untyped ?? (hasRules && tree.type === undefined ? unknownType : undefined);
  const inner = { ...around, count: countWithin(schema, around.count), hasRules, untyped };
  const element =
    hasRules && tree.type?.element === undefined
      ? { ...inner, untyped: untyped ?? noElement }
      : inner;
  const keyed = schema['x-kubernetes-list-type'] === 'map';
  const uncorrelatable = around.uncorrelatable ?? (keyed ? undefined : path);
  return [
    ...(values ? nodesBelow(values, childPath(path, 'additionalProperties'), element) : []),
    ...[...tree.properties].flatMap(([name, each]) =>
      nodesBelow(each, keyPath(childPath(path, 'properties'), name), inner),
    ),
    ...(items ? nodesBelow(items, childPath(path, 'items'), { ...element, uncorrelatable }) : []),
    { ...around, tree, path, untyped },
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
