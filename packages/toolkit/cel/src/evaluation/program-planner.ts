import { listCost, mapCost, messageCost } from '../cost/cost-factors.ts';
import {
  type Call,
  type Element,
  type Expression,
  type Identifier,
  type ListLiteral,
  type MapLiteral,
  type Message,
  qualifiedName,
  type Select,
  withoutDot,
} from '../syntax/expression.ts';
import type { CheckedExpression } from '../checks/checked-expression.ts';
import type { MessageType } from '../values/messages/message-type.ts';
import { valuelessTypeNames } from '../types/type-names.ts';
import { EvaluationError, ProgramError } from '../values/evaluation-error.ts';
import { goText } from '../values/go/go-text.ts';
import { goTypeOf } from '../values/go/go-type.ts';
import { MadeMap } from '../values/map-value.ts';
import { isKey } from './member.ts';
import { Optional } from '../values/optional.ts';
import { isFailed, type Outcome } from '../values/outcome.ts';
import { TypeValue } from '../values/type-value.ts';
import type { Value } from '../values/value.ts';
import {
  type Attribute,
  attributeOf,
  attributeStep,
  computedQualifier,
  constantQualifier,
  messageQualifier,
  presenceQualifier,
  type Qualifier,
  qualified,
  resolver,
} from './attribute.ts';
import { planCall } from './call-planner.ts';
import { planFold } from './fold-planner.ts';
import { planLogic } from './logic-planner.ts';
import {
  constant,
  isConstant,
  type Planned,
  type Planner,
  type PlanLibrary,
  type VariableOptions,
} from './planner.ts';
import { charge, type Run, type Step } from './run.ts';

/** A variable that is in scope. */
interface Visible extends VariableOptions {
  readonly name: string;
  readonly slot: number;
}

/** Converts an expression to functions that compute it, so that an evaluation looks up no names. */
export class ProgramPlanner implements Planner {
  readonly checked: CheckedExpression;
  readonly library: PlanLibrary;
  slots: number;
  #visible: readonly Visible[];

  constructor(checked: CheckedExpression, library: PlanLibrary, variables: readonly string[]) {
    this.checked = checked;
    this.library = library;
    this.#visible = variables.map((name, slot) => ({ name, slot }));
    this.slots = variables.length;
  }

  plan(expression: Expression): Planned {
    switch (expression.kind) {
      case 'literal':
        return constant(expression.value);
      case 'identifier':
        return this.#identifier(expression);
      case 'select':
        return this.#select(expression);
      case 'call':
        return this.#call(expression);
      case 'list':
        return this.#list(expression);
      case 'map':
        return this.#map(expression);
      case 'comprehension':
        return { step: planFold(this, expression) };
      case 'message':
        return this.#message(expression);
    }
  }

  withVariable<T>(name: string, plan: (slot: number) => T, options: VariableOptions = {}): T {
    const before = this.#visible;
    const slot = this.slots;
    this.slots += 1;
    this.#visible = [...before, { ...options, name, slot }];
    const planned = plan(slot);
    this.#visible = before;
    return planned;
  }

  growingSlot(expression: Expression): number | undefined {
    if (expression.kind !== 'identifier') return undefined;
    const visible = this.#visible.findLast(({ name }) => name === expression.name);
    return visible?.growing === true ? visible.slot : undefined;
  }

  #identifier(expression: Identifier): Planned {
    const name = withoutDot(expression.name);
    const visible = this.#visible.findLast((each) => each.name === name);
    if (visible === undefined) return this.#typeValue(name);
    // As in cel-go, a variable whose type is that of a type is taken for the name of a type.
    if (this.checked.typeOf(expression).kind === 'type') throw undefinedType(name);
    return fromAttribute(attributeOf(variableStep(visible)));
  }

  #select(expression: Select): Planned {
    if (this.checked.isQualified(expression)) {
      const name = withoutDot(qualifiedName(expression) ?? '');
      const visible = this.#visible.findLast((each) => each.name === name);
      return visible === undefined
        ? this.#typeValue(name)
        : fromAttribute(attributeOf(variableStep(visible)));
    }
    const attribute = attributeFrom(this.plan(expression.operand));
    const { field, testOnly, operand } = expression;
    if (!testOnly) return fromAttribute(qualified(attribute, this.#fieldOf(operand, field, false)));
    return { step: presenceStep(resolver(qualified(attribute, presenceQualifier(field)))) };
  }

  #fieldOf(operand: Expression, field: string, optional: boolean): Qualifier {
    const { kind, name } = this.checked.typeOf(operand);
    const isMessage = kind === 'object' && this.library.messages(name) !== undefined;
    return isMessage ? messageQualifier(field, optional) : constantQualifier(field, optional);
  }

  #typeValue(name: string): Planned {
    const isUndefined = valuelessTypeNames.has(name) || this.library.messages(name) !== undefined;
    if (isUndefined) throw undefinedType(name);
    return constant(new TypeValue({ kind: 'type', name, parameters: [] }));
  }

  #call(call: Call): Planned {
    if (call.name === '_[_]') return this.#index(call, false);
    if (call.name === '_[?_]' || call.name === '_?._') return this.#index(call, true);
    return planLogic(this, call) ?? planCall(this, call);
  }

  #index({ args: [container, index] }: Call, optional: boolean): Planned {
    if (container === undefined || index === undefined) throw new ProgramError('no such overload');
    const attribute = attributeFrom(this.plan(container));
    const qualifier =
      index.kind === 'literal' && typeof index.value === 'string'
        ? this.#fieldOf(container, index.value, optional)
        : qualifierOf(this.plan(index), optional);
    return fromAttribute(qualified(attribute, qualifier));
  }

  #list({ elements }: ListLiteral): Planned {
    const items = elements.map((each) => ({ ...each, planned: this.plan(each.value) }));
    const steps = items.map(({ planned }) => planned.step);
    const optionals = items.map(({ optional }) => optional);
    const compute = optionals.includes(true)
      ? (run: Run) => optionalItems(run, steps, optionals)
      : (run: Run) => allOf(run, steps);
    return aggregate(
      items.map(({ planned }) => planned),
      compute,
      listCost,
    );
  }

  #message({ type, fields }: Message): Planned {
    const message = this.library.messages(withoutDot(type));
    if (message === undefined) throw new ProgramError(`unknown type: ${type}`);
    const steps = fields.map(({ name, optional, value }) => ({
      name,
      optional,
      value: this.plan(value).step,
    }));
    return { step: messageStep(message, steps) };
  }

  #map({ entries }: MapLiteral): Planned {
    const planned = entries.map((each) => ({
      ...each,
      at: this.plan(each.key),
      of: this.plan(each.value),
    }));
    const steps = planned.map(({ at, of, optional }) => ({
      key: at.step,
      value: of.step,
      optional,
    }));
    const parts = planned.flatMap(({ at, of }) => [at, of]);
    return aggregate(parts, (run) => mapOf(run, steps), mapCost);
  }
}

/** A message is created anew by each evaluation, also if its fields are constants. */
function messageStep(type: MessageType, fields: readonly FieldStep[]): Step {
  return (run) => {
    const values = fieldsOf(run, fields);
    const message = values instanceof EvaluationError ? values : type.make(values);
    charge(run, messageCost);
    return message;
  };
}

function undefinedType(name: string): ProgramError {
  return new ProgramError(`reference to undefined type: ${name}`);
}

function variableStep({ slot, initial }: Visible): Step {
  return (run) => {
    const value = run.slots[slot];
    if (value !== undefined) return value;
    const first = initial === undefined ? null : initial(run);
    run.slots[slot] = first;
    return first;
  };
}

function fromAttribute(attribute: Attribute): Planned {
  return { step: attributeStep(attribute), attribute };
}

function attributeFrom({ attribute, step }: Planned): Attribute {
  return attribute ?? attributeOf(step);
}

/** Throws `ProgramError` for a constant that cannot be a key. */
function qualifierOf(key: Planned, optional: boolean): Qualifier {
  if (!isConstant(key)) {
    const step = key.attribute === undefined ? key.step : resolver(key.attribute);
    return computedQualifier(step, optional);
  }
  const { constant: value } = key;
  if (isFailed(value)) return computedQualifier(key.step, optional);
  if (!isKey(value)) throw new ProgramError(`invalid qualifier type: ${goTypeOf(value)}`);
  return constantQualifier(value, optional);
}

function presenceStep(step: Step): Step {
  return (run) => {
    const found = step(run);
    return found instanceof Optional ? found.hasValue : found;
  };
}

/** A list or map of constants is a constant, which costs nothing. */
function aggregate(parts: readonly Planned[], compute: Step, cost: number): Planned {
  if (parts.every(isConstant)) {
    return constant(constantOf(compute));
  }
  return {
    step: (run) => {
      const value = compute(run);
      charge(run, cost);
      return value;
    },
  };
}

/** Throws `ProgramError` for a constant that kube-apiserver cannot compute. */
function constantOf(compute: Step): Outcome {
  try {
    return compute({ slots: [], cost: 0, costLimit: Infinity });
  } catch (error) {
    if (error instanceof EvaluationError) throw new ProgramError(error.message);
    throw error;
  }
}

function allOf(run: Run, steps: readonly Step[]): Outcome {
  const items: Value[] = [];
  for (const step of steps) {
    const value = step(run);
    if (isFailed(value)) return value;
    items.push(value);
  }
  return items;
}

function optionalItems(
  run: Run,
  steps: readonly Step[],
  optionals: readonly Element['optional'][],
): Outcome {
  const items: Value[] = [];
  for (const [index, step] of steps.entries()) {
    const value = step(run);
    if (isFailed(value)) return value;
    if (optionals[index] !== true) items.push(value);
    else if (!(value instanceof Optional)) return notOptional('list element', value);
    else if (value.hasValue) {
      const inner = value.outcome;
      if (isFailed(inner)) return inner;
      items.push(inner);
    }
  }
  return items;
}

interface FieldStep {
  readonly name: string;
  readonly value: Step;
  readonly optional: boolean;
}

function fieldsOf(run: Run, steps: readonly FieldStep[]): Map<string, Value> | EvaluationError {
  const fields = new Map<string, Value>();
  for (const { name, value, optional } of steps) {
    const given = value(run);
    if (isFailed(given)) return given;
    if (!optional) fields.set(name, given);
    else if (!(given instanceof Optional)) return notOptional(`entry '${name}'`, given);
    else if (!given.hasValue) fields.delete(name);
    else {
      const inner = given.outcome;
      if (isFailed(inner)) return inner;
      fields.set(name, inner);
    }
  }
  return fields;
}

interface EntryStep {
  readonly key: Step;
  readonly value: Step;
  readonly optional: boolean;
}

function mapOf(run: Run, steps: readonly EntryStep[]): Outcome {
  const map = new MadeMap();
  for (const { key, value, optional } of steps) {
    const at = key(run);
    if (isFailed(at)) return at;
    const of = value(run);
    if (isFailed(of)) return of;
    if (!optional) map.set(at, of);
    else if (!(of instanceof Optional)) return notOptional(`entry '${goText(at)}'`, of);
    else if (!of.hasValue) map.remove(at);
    else {
      const inner = of.outcome;
      if (isFailed(inner)) return inner;
      map.set(at, inner);
    }
  }
  return map;
}

function notOptional(what: string, value: Value): EvaluationError {
  const shown = goText(value);
  return new EvaluationError(`cannot initialize optional ${what} from non-optional value ${shown}`);
}
