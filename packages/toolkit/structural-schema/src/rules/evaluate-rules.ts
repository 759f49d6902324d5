import type { StatusCause } from '@keelson/apimachinery';
import { EvaluationError, type Value } from '@keelson/cel/internal';
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../json/json-value.ts';
import { duplicate, forbidden, invalid, required } from '../validation/field-error.ts';
import { CorrelatedValue } from '../values/correlated-value.ts';
import { childPath, type FieldPath, indexPath, keyPath } from '../validation/field-path.ts';
import type { JsonSchema } from '../validation/json-schema.ts';
import type { CompiledRule, RuleInput } from './compiled-rule.ts';
import { ObjectCostBudget } from './cost-budget.ts';
import type { RuleTree } from './rule-tree.ts';

/** A value and the old value in the same place. */
export interface ComparedValue {
  readonly value: JsonValue | undefined;
  readonly old: JsonValue | undefined;
  /** True if the update leaves the value unchanged. */
  readonly unchanged: () => boolean;
}

/** A value within the object. */
interface PlacedValue extends ComparedValue {
  /** Compares the value with the old part that the schema assigns to it; undefined if the schema assigns none. */
  readonly correlated: CorrelatedValue | undefined;
}

/** Violated rules of an object, in kube-apiserver's words. */
export interface RuleFindings {
  readonly refused: readonly StatusCause[];
  /** Violations that the update leaves unchanged. They do not refuse the update. */
  readonly ratcheted: readonly StatusCause[];
}

/** Evaluates every rule of a tree on a value that the schema accepts. Rules with `oldSelf` need the old value. */
export function evaluateRules(tree: RuleTree, compared: ComparedValue): RuleFindings {
  const evaluation = new RuleEvaluation();
  const { value, old } = compared;
  const correlated =
    value === undefined || old === undefined
      ? undefined
      : new CorrelatedValue(tree.schema, value, old);
  evaluation.run(tree, { ...compared, correlated }, '');
  return evaluation;
}

class RuleEvaluation implements RuleFindings {
  readonly refused: StatusCause[] = [];
  readonly ratcheted: StatusCause[] = [];
  readonly #budget = new ObjectCostBudget();

  run(tree: RuleTree, compared: PlacedValue, path: FieldPath): void {
    const { value } = compared;
    if (value === undefined || value === null || this.#budget.isExhausted) return;
    this.#evaluateNode(tree, compared, path);
    if (Array.isArray(value)) this.#items(tree, value, compared, path);
    else if (isJsonObject(value)) this.#members(tree, value, compared, path);
  }

  #evaluateNode({ rules, type, schema }: RuleTree, compared: PlacedValue, path: FieldPath): void {
    if (rules.length === 0 || type === undefined) return;
    const { value = null, old = null } = compared;
    // As in kube-apiserver, a message expression has no old value if no rule of the node reads it.
    const readsOld = old !== null && rules.some((rule) => rule.usesOldSelf);
    const input = {
      self: valueOf(() => type.valueOf(value)),
      oldSelf: readsOld ? valueOf(() => type.valueOf(old)) : undefined,
    };
    for (const rule of rules) {
      if (this.#budget.isExhausted) return;
      this.#apply(rule, input, { schema, compared, value, path });
    }
  }

  #apply(rule: CompiledRule, input: RuleInput, { schema, compared, value, path }: Place): void {
    const outcome = rule.evaluate(input, this.#budget);
    if (outcome.kind === 'passed') return;
    if (outcome.kind === 'error') {
      if (outcome.exhausted === true) this.#budget.exhaust();
      this.refused.push(invalid(placed(path), schema.type ?? '', outcome.message));
      return;
    }
    const findings = !rule.usesOldSelf && compared.unchanged() ? this.ratcheted : this.refused;
    findings.push(causeOf(rule, value, outcome.message, path));
  }

  #members(tree: RuleTree, object: JsonObject, compared: PlacedValue, path: FieldPath): void {
    const before = isJsonObject(compared.old) ? compared.old : {};
    for (const [name, value] of Object.entries(object)) {
      const property = tree.properties.get(name);
      const below = property ?? tree.additionalProperties;
      if (below === undefined) continue;
      const inner = property === undefined ? keyPath(path, name) : childPath(path, name);
      const correlated = compared.correlated?.member(name);
      this.run(below, within(compared, { value, old: ownValue(before, name), correlated }), inner);
    }
  }

  #items(
    { items, schema }: RuleTree,
    list: readonly JsonValue[],
    compared: PlacedValue,
    path: FieldPath,
  ): void {
    if (items === undefined) return;
    const before = Array.isArray(compared.old) ? compared.old : [];
    for (const [index, item] of list.entries()) {
      const old = counterpart(schema, item, before);
      const correlated = compared.correlated?.item(index);
      this.run(items, within(compared, { value: item, old, correlated }), indexPath(path, index));
    }
  }
}

interface Place {
  readonly schema: JsonSchema;
  readonly compared: ComparedValue;
  readonly value: JsonValue;
  readonly path: FieldPath;
}

/** Defers the error of an invalid value, such as an impossible date, until a rule reads it. */
function valueOf(convert: () => Value): Value | EvaluationError {
  try {
    return convert();
  } catch (error) {
    if (error instanceof EvaluationError) return error;
    throw error;
  }
}

function causeOf(
  { expression, fieldPath }: CompiledRule,
  value: JsonValue,
  message: string,
  path: FieldPath,
): StatusCause {
  const field = placed(path + fieldPath);
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

/** The cause omits values that are objects or lists. */
function withoutValue(cause: StatusCause, value: JsonValue, message: string): StatusCause {
  return typeof value === 'object' ? { ...cause, message } : cause;
}

/** Returns kube-apiserver's form of a path; `<nil>` is the root. */
function placed(path: FieldPath): FieldPath {
  return path === '' ? '<nil>' : path.replace(/^\./, '');
}

/** Returns the old item with the same keys; undefined for lists without keys. */
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

/** As in kube-apiserver, a value without a correlated old value is unchanged if its nearest correlated parent is. */
function within(around: PlacedValue, place: Omit<PlacedValue, 'unchanged'>): PlacedValue {
  const { correlated } = place;
  return { ...place, unchanged: () => correlated?.isUnchanged ?? around.unchanged() };
}
