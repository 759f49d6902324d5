import { balancedLogic } from './balanced-logic.ts';
import { ExpressionDepth } from './expression-depth.ts';
import { type ExpressionIssue, ExpressionSyntaxError } from './expression-issue.ts';
import {
  type Call,
  childrenOf,
  type Element,
  type Entry,
  type Expression,
  type MessageField,
} from './expression.ts';
import { lengthIssue, sizeIssue } from './expression-size.ts';
import { constants, literalValue } from './literal-value.ts';
import { expandMacro } from './macros.ts';
import { type Token, tokenize } from './token.ts';
import { TokenReader } from './token-reader.ts';

/** How a source is parsed. */
export interface ParseOptions {
  /** Whether macros such as `has` and `map` expand; else they are calls. Default true. */
  readonly macros?: boolean;
  /** Whether the macro `cel.bind` expands. Default false. */
  readonly bindings?: boolean;
}

/** Parses the source of an expression and expands its macros; returns the syntax errors if the source is invalid. */
export function parseExpression(
  source: string,
  { macros = true, bindings = false }: ParseOptions = {},
): ParsedExpression {
  const tooLong = lengthIssue(source);
  if (tooLong !== undefined) return { expression: undefined, issues: [tooLong] };
  const { tokens, issues } = tokenize(source);
  const parser = new ExpressionParser(tokens, { macros, bindings });
  try {
    const expression = parser.parse();
    const tooLarge = sizeIssue(expression);
    return {
      expression,
      issues: tooLarge === undefined ? [...issues, ...parser.issues] : [tooLarge],
    };
  } catch (error) {
    if (!(error instanceof ExpressionSyntaxError)) throw error;
    return { expression: undefined, issues: [...issues, ...parser.issues, error.issue] };
  }
}

export interface ParsedExpression {
  readonly expression: Expression | undefined;
  readonly issues: readonly ExpressionIssue[];
}

/** The reserved words of CEL. */
const reserved: ReadonlySet<string> = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

/** The binary operators by increasing precedence; all are left-associative. */
const levels: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['<', '<=', '>=', '>', '==', '!=', 'in'],
  ['+', '-'],
  ['*', '/', '%'],
];

class ExpressionParser {
  /** The issues after which parsing continues. */
  readonly issues: ExpressionIssue[] = [];
  readonly #tokens: TokenReader;
  readonly #depth = new ExpressionDepth();
  readonly #macros: boolean;
  readonly #bindings: boolean;

  constructor(tokens: readonly Token[], { macros, bindings }: Required<ParseOptions>) {
    this.#tokens = new TokenReader(tokens);
    this.#macros = macros;
    this.#bindings = bindings;
  }

  parse(): Expression {
    const expression = this.#expression();
    if (this.#tokens.token.kind !== 'end') {
      this.#tokens.unexpected('<EOF>', this.#tokens.following?.kind === 'end');
    }
    return expression;
  }

  #expression(): Expression {
    return this.#depth.nested(() => {
      const condition = this.#binary(0);
      const { offset } = this.#tokens.token;
      if (!this.#tokens.accept('?')) return condition;
      const yes = this.#binary(0);
      this.#tokens.expect(':');
      return this.#called('_?_:_', [condition, yes, this.#expression()], offset);
    });
  }

  #binary(level: number): Expression {
    const operators = levels[level];
    if (operators === undefined) return this.#unary();
    if (level < 2) return this.#logic(level);
    let left = this.#binary(level + 1);
    while (operators.some((operator) => this.#tokens.is(operator))) {
      const { text, offset } = this.#tokens.take();
      const name = text === 'in' ? '@in' : `_${text}_`;
      left = this.#called(name, [left, this.#binary(level + 1)], offset);
    }
    return left;
  }

  /** Parses chains of `&&` and `||` to balanced trees, so that a long chain is not deep. */
  #logic(level: number): Expression {
    const operator = levels[level]?.[0] ?? '';
    const terms = [this.#binary(level + 1)];
    const offsets: number[] = [];
    while (this.#tokens.is(operator)) {
      offsets.push(this.#tokens.take().offset);
      terms.push(this.#binary(level + 1));
    }
    return balancedLogic(`_${operator}_`, terms, offsets, (call) =>
      this.#depth.around(call, call.args, 0),
    );
  }

  #unary(): Expression {
    const { text: operator, offset } = this.#tokens.token;
    if (!this.#tokens.is('!') && !this.#tokens.is('-')) return this.#member();
    let count = 0;
    while (this.#tokens.accept(operator)) count += 1;
    const negative = operator === '-' && /^(int|double)$/.test(this.#tokens.token.kind);
    const operand = negative && count === 1 ? this.#number(-1, offset) : this.#member();
    if (count % 2 === 0 || (negative && count === 1)) return operand;
    return this.#called(`${operator}_`, [operand], offset, 0);
  }

  /** Parses a number with its sign; the sign belongs to the literal: `-1.size()`. */
  #number(sign: 1 | -1, offset: number): Expression {
    return this.#members(this.#literal(sign, offset));
  }

  #member(): Expression {
    return this.#members(this.#primary());
  }

  #members(primary: Expression): Expression {
    let expression = primary;
    for (;;) {
      const { offset } = this.#tokens.token;
      if (this.#tokens.accept('.')) expression = this.#selected(expression, offset);
      else if (this.#tokens.accept('[')) expression = this.#indexed(expression, offset);
      else return expression;
    }
  }

  #selected(operand: Expression, offset: number): Expression {
    const optional = this.#tokens.accept('?');
    const name = this.#tokens.take();
    if (name.kind !== 'name' && name.kind !== 'quotedName') {
      const message = `Syntax error: no viable alternative at input '.${name.text}'`;
      throw new ExpressionSyntaxError(name.offset, message);
    }
    if (name.kind === 'quotedName') {
      throw new ExpressionSyntaxError(name.offset, "unsupported syntax: '`'");
    }
    const field = name.text;
    const place = this.#tokens.token.offset;
    if (!optional && this.#tokens.accept('(')) {
      const args = this.#list(')', () => this.#expression());
      return this.#call({ kind: 'call', name: field, target: operand, args, offset: place });
    }
    if (!optional) {
      const select: Expression = { kind: 'select', operand, field, testOnly: false, offset };
      return this.#depth.around(select, [operand]);
    }
    const literal: Expression = { kind: 'literal', value: field, offset: name.offset };
    return this.#called('_?._', [operand, literal], offset);
  }

  #indexed(operand: Expression, offset: number): Expression {
    const name = this.#tokens.accept('?') ? '_[?_]' : '_[_]';
    const index = this.#expression();
    this.#tokens.expect(']');
    return this.#called(name, [operand, index], offset);
  }

  #primary(): Expression {
    const { offset } = this.#tokens.token;
    if (this.#tokens.accept('(')) {
      const expression = this.#expression();
      this.#tokens.expect(')');
      return expression;
    }
    if (this.#tokens.accept('[')) {
      return this.#literalOf({
        kind: 'list',
        elements: this.#list(']', () => this.#element()),
        offset,
      });
    }
    if (this.#tokens.accept('{')) {
      return this.#literalOf({
        kind: 'map',
        entries: this.#list('}', () => this.#entry()),
        offset,
      });
    }
    const { kind, text } = this.#tokens.token;
    if (kind === 'name' && text !== 'in' && !constants.has(text)) return this.#name(text);
    if (this.#tokens.is('.')) {
      this.#tokens.take();
      return this.#name(this.#tokens.token.text, '.');
    }
    return this.#literal(1, offset);
  }

  /** `dot`: the dot before a name that is searched from the root. It hides macros, and messages contain it. */
  #name(written: string, dot = ''): Expression {
    const { offset } = this.#tokens.take();
    const name = dot + written;
    if (reserved.has(written)) {
      throw new ExpressionSyntaxError(offset, `reserved identifier: ${name}`);
    }
    const place = this.#tokens.token.offset;
    if (this.#tokens.accept('(')) {
      const args = this.#list(')', () => this.#expression());
      return this.#call({ kind: 'call', name, target: undefined, args, offset: place });
    }
    return this.#message(name) ?? { kind: 'identifier', name, offset };
  }

  /** Parses a message literal `a.b.Type{field: value}`. */
  #message(first: string): Expression | undefined {
    const start = this.#tokens.position;
    let type = first;
    while (this.#tokens.accept('.')) type += `.${this.#tokens.take().text}`;
    const { offset } = this.#tokens.token;
    if (!this.#tokens.accept('{')) {
      this.#tokens.returnTo(start);
      return undefined;
    }
    return this.#literalOf({
      kind: 'message',
      type,
      fields: this.#list('}', () => this.#field()),
      offset,
    });
  }

  #field(): MessageField {
    const optional = this.#tokens.accept('?');
    const { kind, text: name, offset: start } = this.#tokens.token;
    if (kind === 'quotedName') throw new ExpressionSyntaxError(start, "unsupported syntax: '`'");
    if (kind !== 'name' || name === 'in' || constants.has(name)) this.#tokens.unexpected("'}'");
    this.#tokens.take();
    const { offset } = this.#tokens.token;
    this.#tokens.expectBeforeExpression(':');
    return { name, optional, value: this.#expression(), offset };
  }

  #list<T>(end: string, item: () => T): readonly T[] {
    const items: T[] = [];
    // A list or map may consist of its trailing comma.
    if (end !== ')' && this.#tokens.is(',') && this.#tokens.following?.text === end) {
      this.#tokens.take();
    }
    while (!this.#tokens.accept(end)) {
      items.push(item());
      if (this.#tokens.accept(',')) {
        if (end === ')' && this.#tokens.is(end)) this.#tokens.noBeginning();
        continue;
      }
      if (end === ')' && this.#tokens.token.kind === 'end') this.#tokens.expect(end);
      const after = this.#tokens.following?.text;
      const extraneous = after === end || after === ',';
      const expected = end === ')' ? "')'" : `{'${end}', ','}`;
      if (!this.#tokens.is(end)) this.#tokens.unexpected(expected, extraneous);
    }
    return items;
  }

  #element(): Element {
    return { optional: this.#tokens.accept('?'), value: this.#expression() };
  }

  #entry(): Entry {
    const optional = this.#tokens.accept('?');
    const key = this.#expression();
    this.#tokens.expect(':');
    return { optional, key, value: this.#expression() };
  }

  #literal(sign: 1 | -1, offset: number): Expression {
    const token = this.#tokens.token;
    const value = literalValue(token, sign, (issue) => this.issues.push(issue));
    if (value === undefined) this.#tokens.noBeginning();
    this.#tokens.take();
    return { kind: 'literal', value, offset };
  }

  #called(name: string, args: readonly Expression[], offset: number, added: 0 | 1 = 1): Expression {
    const call: Expression = { kind: 'call', name, target: undefined, args, offset };
    return this.#depth.around(call, args, added);
  }

  #call(call: Call): Expression {
    const added = call.target === undefined ? 0 : 1;
    return this.#depth.around(
      this.#macros ? expandMacro(call, this.#bindings) : call,
      childrenOf(call),
      added,
    );
  }

  #literalOf(literal: Expression): Expression {
    return this.#depth.around(literal, childrenOf(literal), 0);
  }
}
