import type { ExpressionIssue } from '../syntax/expression-issue.ts';
import {
  type Call,
  type Comprehension,
  type Element,
  type Expression,
  type ListLiteral,
  type MapLiteral,
  type Message,
  type MessageField,
  qualifiedName,
  type Select,
  withoutDot,
} from '../syntax/expression.ts';
import { showValue } from '../values/show-value.ts';
import { typeOfValue } from '../values/type-of-value.ts';
import {
  boolType,
  type CelType,
  dynType,
  errorType,
  isOptional,
  listType,
  mapType,
  optionalType,
  parameterOf,
  sameType,
  showType,
  typeOfType,
  unwrapped,
} from '../types/cel-type.ts';
import type { Overload } from '../types/function-declaration.ts';
import type { CheckedExpression, CheckEnvironment } from './checked-expression.ts';
import { iterationTypes } from './iteration-types.ts';
import { matchOverload } from './match-overload.ts';
import type { MessageType } from '../values/messages/message-type.ts';
import { mostGeneral, Substitution } from './substitution.ts';
import { typeNamed } from '../types/type-names.ts';

/** Checks the types of an expression as cel-go does, with the same messages. */
export function checkExpression(
  expression: Expression,
  environment: CheckEnvironment,
): CheckedExpression {
  return new TypeChecker(environment).run(expression);
}

class TypeChecker {
  readonly #environment: CheckEnvironment;
  readonly #substitution = new Substitution();
  readonly #types = new Map<Expression, CelType>();
  readonly #overloads = new Map<Expression, readonly Overload[]>();
  readonly #qualified = new Set<Expression>();
  readonly #issues: ExpressionIssue[] = [];
  readonly #used = new Set<string>();
  #scopes: readonly (readonly [string, CelType])[] = [];

  constructor(environment: CheckEnvironment) {
    this.#environment = environment;
  }

  run(expression: Expression): CheckedExpression {
    this.#check(expression);
    const types = new Map(
      [...this.#types].map(([each, type]) => [each, this.#substitution.apply(type, false)]),
    );
    return {
      expression,
      issues: this.#issues,
      variables: this.#used,
      typeOf: (each) => types.get(each) ?? dynType,
      overloadsOf: (call) => this.#overloads.get(call) ?? [],
      isQualified: (each) => this.#qualified.has(each),
    };
  }

  #check(expression: Expression): CelType {
    const type = this.#typeOf(expression);
    this.#types.set(expression, type);
    return type;
  }

  #typeOf(expression: Expression): CelType {
    switch (expression.kind) {
      case 'literal':
        return typeOfValue(expression.value);
      case 'identifier':
        return this.#named(expression.name) ?? this.#undeclared(expression, expression.name);
      case 'select':
        return this.#select(expression);
      case 'call':
        return this.#call(expression);
      case 'list':
        return this.#list(expression);
      case 'map':
        return this.#map(expression);
      case 'message':
        return this.#message(expression);
      case 'comprehension':
        return this.#comprehension(expression);
    }
  }

  #named(written: string): CelType | undefined {
    const name = withoutDot(written);
    const local = this.#scopes.findLast(([each]) => each === name);
    if (local !== undefined) return local[1];
    const declared = this.#environment.variables.get(name);
    if (declared !== undefined) this.#used.add(name);
    return declared ?? this.#typeNamed(name);
  }

  /** The type of a name that is a type. */
  #typeNamed(name: string): CelType | undefined {
    const message = this.#environment.messages(name);
    return message === undefined ? typeNamed(name) : typeOfType(message.type);
  }

  #undeclared({ offset }: Expression, name: string): CelType {
    return this.#refuse(offset, `undeclared reference to '${name}' (in container '')`);
  }

  #refuse(offset: number, message: string): CelType {
    this.#issues.push({ offset, message });
    return errorType;
  }

  #select(expression: Select): CelType {
    const name = qualifiedName(expression);
    const type = name === undefined ? undefined : this.#qualifiedType(withoutDot(name));
    if (type !== undefined) {
      this.#qualified.add(expression);
      return type;
    }
    const field = this.#field(expression, expression.operand, expression.field);
    return expression.testOnly ? boolType : this.#substitution.apply(field);
  }

  /** The type of a variable with dots in its name, such as `authorizer.requestResource`, or that of the name of a type. */
  #qualifiedType(name: string): CelType | undefined {
    const declared = this.#environment.variables.get(name);
    if (declared === undefined) return this.#typeNamed(name);
    const [root] = name.split('.', 1);
    if (this.#scopes.some(([each]) => each === root)) return undefined;
    this.#used.add(name);
    return declared;
  }

  #field(place: Expression, operand: Expression, field: string, optional = false): CelType {
    const operandType = this.#substitution.apply(this.#check(operand));
    const type = this.#fieldOf(unwrapped(operandType), place, field);
    return optional || isOptional(operandType) ? optionalType(type) : type;
  }

  #fieldOf(type: CelType, { offset }: Expression, field: string): CelType {
    switch (type.kind) {
      case 'map':
        return parameterOf(type, 1);
      case 'object':
        return type.fields?.get(field) ?? this.#refuse(offset, `undefined field '${field}'`);
      case 'parameter':
        this.#substitution.assignable([dynType], [type]);
        return dynType;
      case 'dyn':
      case 'error':
        return dynType;
      default:
        this.#refuse(offset, `type '${showType(type)}' does not support field selection`);
        return dynType;
    }
  }

  #call(call: Call): CelType {
    const { name, target, args } = call;
    if (name === '_?._') return this.#optionalSelect(call);
    for (const each of args) this.#check(each);
    if (target === undefined) return this.#resolve(call, name);
    const prefix = qualifiedName(target);
    const qualified = withoutDot(`${prefix}.${name}`);
    if (prefix !== undefined && this.#environment.functions.overloadsOf(qualified) !== undefined) {
      this.#qualified.add(call);
      return this.#resolve(call, qualified);
    }
    this.#check(target);
    return this.#resolve(call, name, target);
  }

  #optionalSelect(call: Call): CelType {
    const [operand, field] = call.args;
    if (operand === undefined || field?.kind !== 'literal') return errorType;
    this.#overloads.set(call, this.#environment.functions.overloadsOf(call.name) ?? []);
    return this.#substitution.apply(this.#field(call, operand, showValue(field.value), true));
  }

  #resolve(call: Call, name: string, target?: Expression): CelType {
    const overloads = this.#environment.functions.overloadsOf(withoutDot(name));
    if (overloads === undefined) return this.#undeclared(call, name);
    if (name === '_&&_' || name === '_||_') return this.#logic(call, overloads);
    const args = [...(target ? [target] : []), ...call.args].map((each) => this.#known(each));
    const results: CelType[] = [];
    const matching = overloads.filter((each) => {
      if (each.member !== (target !== undefined)) return false;
      const result = matchOverload(this.#substitution, each, args);
      if (result !== undefined) results.push(result);
      return result !== undefined;
    });
    this.#overloads.set(call, matching);
    const [first] = results;
    if (first === undefined)
      return this.#noOverload(call, withoutDot(name), args, target !== undefined);
    return results.every((each) => sameType(each, first)) ? first : dynType;
  }

  #known(expression: Expression): CelType {
    return this.#types.get(expression) ?? errorType;
  }

  #logic(call: Call, overloads: readonly Overload[]): CelType {
    this.#overloads.set(call, overloads);
    const wrong = call.args.filter((each) => !this.#goesTo(each, boolType));
    for (const each of wrong) this.#mismatch(each, boolType, this.#known(each));
    return wrong.length === 0 ? boolType : errorType;
  }

  #goesTo(expression: Expression, type: CelType): boolean {
    return this.#substitution.assignable([this.#known(expression)], [type]);
  }

  #mismatch({ offset }: Expression, expected: CelType, found: CelType): CelType {
    const message = `expected type '${showType(expected)}' but found '${showType(found)}'`;
    return this.#refuse(offset, message);
  }

  #noOverload(call: Call, name: string, args: readonly CelType[], member: boolean): CelType {
    const shown = args.map((each) => showType(this.#substitution.apply(each, false)));
    const applied = member ? `${shown[0]}.(${shown.slice(1).join(', ')})` : `(${shown.join(', ')})`;
    const message = `found no matching overload for '${name}' applied to '${applied}'`;
    return this.#refuse(call.offset, message);
  }

  #list({ elements }: ListLiteral): CelType {
    let joined: CelType | undefined;
    for (const element of elements) {
      joined = this.#join(joined, this.#elementType(element));
    }
    return listType(joined ?? this.#substitution.fresh());
  }

  #map({ entries }: MapLiteral): CelType {
    let keys: CelType | undefined;
    let values: CelType | undefined;
    for (const entry of entries) {
      keys = this.#join(keys, this.#check(entry.key));
      values = this.#join(values, this.#elementType(entry));
    }
    return mapType(keys ?? this.#substitution.fresh(), values ?? this.#substitution.fresh());
  }

  #message(expression: Message): CelType {
    const name = withoutDot(expression.type);
    const named = this.#named(name);
    // Messages of protobuf are not supported, so their types are unknown here.
    if (named === undefined || (named.kind === 'type' && name.includes('.protobuf.'))) {
      return this.#undeclared(expression, expression.type);
    }
    const message = this.#environment.messages(name);
    for (const field of expression.fields) this.#messageField(field, name, message);
    if (message !== undefined) return message.type;
    return named.kind === 'type'
      ? this.#refuse(expression.offset, `'${parameterOf(named).name}' is not a message type`)
      : this.#refuse(expression.offset, `'${named.name}' is not a type`);
  }

  #messageField(field: MessageField, typeName: string, message: MessageType | undefined): void {
    const { name, offset } = field;
    const type = this.#elementType(field);
    if (message === undefined) {
      this.#refuse(offset, `unexpected failed resolution of '${typeName}'`);
      return;
    }
    const wanted = message.fieldOf(name);
    if (wanted !== undefined && this.#substitution.assignable([type], [wanted])) return;
    const shown = wanted === undefined ? '' : showType(wanted);
    const found = showType(this.#substitution.apply(type, false));
    this.#refuse(
      offset,
      `expected type of field '${name}' is '${shown}' but provided type is '${found}'`,
    );
  }

  #elementType({ value, optional }: Element): CelType {
    const type = this.#check(value);
    if (!optional || type.kind === 'dyn') return type;
    if (!isOptional(type)) this.#mismatch(value, optionalType(type), type);
    return unwrapped(type);
  }

  /** Returns the common type of two elements of a literal; `dyn` if they have none. */
  #join(before: CelType | undefined, type: CelType): CelType {
    if (before === undefined) return type;
    if (this.#substitution.assignable([before], [type])) return mostGeneral(before, type);
    // `format` accepts a list of any types; checkLiterals reports the other mixed lists.
    return dynType;
  }

  #comprehension(expression: Comprehension): CelType {
    const range = this.#check(expression.range);
    const initial = this.#check(expression.initial);
    const outer = this.#scopes;
    const accumulator = [expression.accumulator, initial] as const;
    this.#scopes = [...outer, accumulator, ...this.#iteration(expression, range)];
    this.#check(expression.condition);
    this.#check(expression.step);
    this.#expect(expression.condition, boolType);
    this.#expect(expression.step, initial);
    this.#scopes = [...outer, accumulator];
    const result = this.#check(expression.result);
    this.#scopes = outer;
    return this.#substitution.apply(result);
  }

  #expect(expression: Expression, type: CelType): void {
    if (!this.#goesTo(expression, type)) this.#mismatch(expression, type, this.#known(expression));
  }

  #iteration(
    { range, variable, secondVariable }: Comprehension,
    declared: CelType,
  ): readonly (readonly [string, CelType])[] {
    const type = this.#substitution.apply(declared);
    const types = iterationTypes(this.#substitution, type, secondVariable !== undefined);
    const [key, value] = types ?? [this.#noRange(range, type), errorType];
    return secondVariable === undefined
      ? [[variable, key]]
      : [
          [variable, key],
          [secondVariable, value],
        ];
  }

  #noRange({ offset }: Expression, type: CelType): CelType {
    const message = `expression of type '${showType(type)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
    return this.#refuse(offset, message);
  }
}
