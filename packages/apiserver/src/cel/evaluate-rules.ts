import type { StatusCause } from '@keelson/apimachinery';
import { isJsonObject, jsonEquals, type JsonObject, type JsonValue } from '../patch/json-value.ts';
import { duplicate, forbidden, invalid, required } from '../schema/field-error.ts';
import { childPath, type FieldPath, indexPath, keyPath } from '../schema/field-path.ts';
import type { JsonSchema } from '../schema/structural-schema.ts';
import type { CompiledRule } from './compiled-rule.ts';
import type { RuleTree } from './rule-tree.ts';

/** A value with what stood in its place before. */
export interface Judged {
  readonly value: JsonValue | undefined;
  readonly old: JsonValue | undefined;
  /** Whether the value, or the nearest one around it that has a counterpart, is as it was. */
  readonly unchanged: () => boolean;
}

/** The causes for which an object does not satisfy the rules of its schema, worded as kube-apiserver words them. */
export function evaluateRules(tree: RuleTree, judged: Judged, path: FieldPath): StatusCause[] {
  const { value } = judged;
  if (value === undefined || value === null) return [];
  const causes = judge(tree, judged, path);
  for (const each of tree.allOf) causes.push(...evaluateRules(each, judged, path));
  if (Array.isArray(value)) causes.push(...evaluateItems(tree, value, judged, path));
  else if (isJsonObject(value)) causes.push(...evaluateMembers(tree, value, judged, path));
  return causes;
}

function judge(tree: RuleTree, judged: Judged, path: FieldPath): StatusCause[] {
  const { rules, type, schema } = tree;
  if (rules.length === 0 || type === undefined) return [];
  const { value = null, old } = judged;
  const input = {
    self: type.valueOf(value),
    oldSelf: old === undefined || old === null ? undefined : type.valueOf(old),
  };
  return rules.flatMap((rule) => {
    const outcome = rule.evaluate(input);
    if (outcome.kind === 'passed') return [];
    if (outcome.kind === 'error') return [invalid(placed(path), schema.type, outcome.message)];
    // What was wrong before and has not changed does not stand in the way of a repair elsewhere.
    if (!rule.usesOldSelf && judged.unchanged()) return [];
    return [causeOf(rule, value, outcome.message, path)];
  });
}

function causeOf(
  { expression }: CompiledRule,
  value: JsonValue,
  message: string,
  path: FieldPath,
): StatusCause {
  const field = placed(path + (expression.fieldPath ?? ''));
  switch (expression.reason) {
    case 'FieldValueForbidden':
      return forbidden(field, message);
    case 'FieldValueRequired':
      return required(field, message);
    case 'FieldValueDuplicate':
      return withoutValue(duplicate(field, value), value, 'Duplicate value');
    default:
      return withoutValue(invalid(field, value, message), value, `Invalid value: ${message}`);
  }
}

/** Objects and lists are not told. */
function withoutValue(cause: StatusCause, value: JsonValue, message: string): StatusCause {
  return typeof value === 'object' ? { ...cause, message } : cause;
}

/** The server's word for the root of an object. */
function placed(path: FieldPath): FieldPath {
  return path === '' ? '<nil>' : path.replace(/^\./, '');
}

function evaluateMembers(
  tree: RuleTree,
  object: JsonObject,
  judged: Judged,
  path: FieldPath,
): StatusCause[] {
  const before = isJsonObject(judged.old) ? judged.old : {};
  return Object.entries(object).flatMap(([name, value]) => {
    const property = tree.properties.get(name);
    const below = property ?? tree.additionalProperties;
    if (below === undefined) return [];
    const inner = property === undefined ? keyPath(path, name) : childPath(path, name);
    return evaluateRules(below, within(judged, value, before[name]), inner);
  });
}

function evaluateItems(
  { items, schema }: RuleTree,
  list: readonly JsonValue[],
  judged: Judged,
  path: FieldPath,
): StatusCause[] {
  if (items === undefined) return [];
  const before = Array.isArray(judged.old) ? judged.old : [];
  return list.flatMap((item, index) =>
    evaluateRules(
      items,
      within(judged, item, counterpart(schema, item, before)),
      indexPath(path, index),
    ),
  );
}

/** The item that had the same keys: only the items of keyed lists have one. */
function counterpart(
  schema: JsonSchema,
  item: JsonValue,
  before: readonly JsonValue[],
): JsonValue | undefined {
  if (schema['x-kubernetes-list-type'] !== 'map' || !isJsonObject(item)) return undefined;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  return before.find(
    (other) => isJsonObject(other) && keys.every((key) => other[key] === item[key]),
  );
}

function within(around: Judged, value: JsonValue, old: JsonValue | undefined): Judged {
  return {
    value,
    old,
    unchanged: () => (old === undefined ? around.unchanged() : jsonEquals(old, value)),
  };
}
