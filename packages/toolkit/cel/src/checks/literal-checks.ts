import {
  type Clause,
  clauseProblem,
  clauseSyntaxProblem,
  fillTemplate,
} from '../functions/strings/format-function.ts';
import { type PatternCompiler, patternProblem } from '../functions/pattern-functions.ts';
import type { ExpressionIssue } from '../syntax/expression-issue.ts';
import { type Call, childrenOf, type Element, type Expression } from '../syntax/expression.ts';
import { Duration } from '../values/duration.ts';
import { Timestamp } from '../values/timestamp.ts';
import { type CelType, sameType, showType, unwrapped } from '../types/cel-type.ts';
import type { CheckedExpression } from './checked-expression.ts';
import type { Value } from '../values/value.ts';
import { succeeds } from '../values/evaluation-error.ts';

/** Finds invalid literals in a type-checked expression. */
export function checkLiterals(
  checked: CheckedExpression,
  compiler: PatternCompiler,
): readonly ExpressionIssue[] {
  return new LiteralChecker(checked, compiler).check();
}

class LiteralChecker {
  readonly #checked: CheckedExpression;
  readonly #compiler: PatternCompiler;
  readonly #issues: ExpressionIssue[] = [];

  constructor(checked: CheckedExpression, compiler: PatternCompiler) {
    this.#checked = checked;
    this.#compiler = compiler;
  }

  check(): readonly ExpressionIssue[] {
    this.#visit(this.#checked.expression, false);
    return this.#issues;
  }

  /**
   * Visits an expression. `formatted`: the expression is an argument of `format`, which accepts lists of any types.
   */
  #visit(expression: Expression, formatted: boolean): void {
    if (expression.kind === 'call') this.#call(expression);
    if (!formatted && expression.kind === 'list') this.#elements(expression.elements);
    if (!formatted && expression.kind === 'map') {
      this.#requireSameTypes(expression.entries.map(({ key }) => [key, this.#checked.typeOf(key)]));
      this.#elements(expression.entries);
    }
    const exempt = formatted || (expression.kind === 'call' && expression.name === 'format');
    for (const each of childrenOf(expression)) this.#visit(each, exempt);
  }

  #call(call: Call): void {
    const { name, args } = call;
    const [argument] = args;
    if (argument?.kind === 'literal' && this.#isWrong(name, argument.value)) {
      this.#refuse(argument, `invalid ${name} argument`);
    }
    if (name === 'format' && argument?.kind === 'list') this.#format(call, argument.elements);
  }

  /** As in kube-apiserver, the first argument of `matches(text, pattern)` is checked, which is the text. */
  #isWrong(name: string, value: Value): boolean {
    switch (name) {
      case 'duration':
        return typeof value !== 'string' || !succeeds(() => Duration.parse(value));
      case 'timestamp':
        if (typeof value === 'bigint') return !succeeds(() => Timestamp.ofSeconds(value));
        return typeof value !== 'string' || !succeeds(() => Timestamp.parse(value));
      case 'matches':
        return typeof value === 'string' && patternProblem(this.#compiler, value) !== undefined;
      default:
        return false;
    }
  }

  #elements(elements: readonly Element[]): void {
    this.#requireSameTypes(
      elements.map(({ value, optional }) => {
        const type = this.#checked.typeOf(value);
        return [value, optional ? unwrapped(type) : type];
      }),
    );
  }

  /** Reports the first element whose type differs from that of the first element. */
  #requireSameTypes([first, ...rest]: readonly (readonly [Expression, CelType])[]): void {
    if (first === undefined) return;
    const [, expected] = first;
    const other = rest.find(([, type]) => !sameType(type, expected));
    if (other === undefined) return;
    const [place, type] = other;
    this.#refuse(place, `expected type '${showType(expected)}' but found '${showType(type)}'`);
  }

  #format(call: Call, elements: readonly Element[]): void {
    const template = textOf(call.target);
    if (template === undefined) return;
    let count = 0;
    let problem: ExpressionIssue | undefined;
    fillTemplate(template, (clause, index) => {
      count += 1;
      problem ??= this.#clause(call, clause, elements[index]?.value, index);
      return '';
    });
    if (problem !== undefined) this.#issues.push(problem);
    else if (elements.length > count) {
      const words = `too many arguments supplied to string.format (expected ${count}, got ${elements.length})`;
      this.#refuse(call, words);
    }
  }

  #clause(
    call: Call,
    clause: Clause,
    argument: Expression | undefined,
    index: number,
  ): ExpressionIssue | undefined {
    const { offset } = call;
    const problem = clauseSyntaxProblem(clause);
    const isCut = clause.verb === '' && clause.precision === undefined;
    if (argument === undefined && !isCut) {
      return { offset, message: `index ${index} out of range` };
    }
    if (problem !== undefined) return { offset, message: problem };
    const wrong = argument && this.#unformattable(clause.verb, argument);
    if (wrong === undefined) return undefined;
    const type = this.#checked.typeOf(wrong).name.replace(/^null$/, 'null_type');
    const message = `error during formatting: ${clauseProblem(clause.verb, type)}`;
    return { offset: wrong.offset, message };
  }

  /** Returns the part of an argument that a clause cannot format. `%s` also formats the parts of lists and maps. */
  #unformattable(verb: string, argument: Expression): Expression | undefined {
    const type = this.#checked.typeOf(argument);
    const fits = type.kind === 'dyn' || formattable[verb]?.has(type.name) === true;
    if (!fits) return argument;
    if (verb !== 's' || (argument.kind !== 'list' && argument.kind !== 'map')) return undefined;
    for (const part of childrenOf(argument)) {
      const wrong = this.#unformattable(verb, part);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }

  #refuse({ offset }: Expression, message: string): void {
    this.#issues.push({ offset, message });
  }
}

const integers = ['int', 'uint'];
const texts = ['string', 'bytes'];

/** The types that each clause of a template can format. */
const formattable: Readonly<Record<string, ReadonlySet<string>>> = {
  s: new Set([
    ...integers,
    ...texts,
    'list',
    'map',
    'double',
    'bool',
    'type',
    'null',
    'google.protobuf.Timestamp',
    'google.protobuf.Duration',
  ]),
  d: new Set(integers),
  f: new Set(['double', 'string']),
  e: new Set(['double', 'string']),
  b: new Set([...integers, 'bool']),
  x: new Set([...integers, ...texts]),
  X: new Set([...integers, ...texts]),
  o: new Set(integers),
};

function textOf(expression: Expression | undefined): string | undefined {
  if (expression?.kind !== 'literal' || typeof expression.value !== 'string') return undefined;
  return expression.value;
}
