import { balancedLogic } from './balanced-logic.ts';
import { ExpressionDepth } from './expression-depth.ts';
import { type ExpressionIssue, ExpressionSyntaxError, nowhere } from './expression-issue.ts';
import { type Call, childrenOf, type Element, type Entry, type Expression } from './expression.ts';
import { constants, literalValue } from './literal-value.ts';
import { expandMacro } from './macros.ts';
import { type Token, tokenize } from './token.ts';

/** The expression that a text of CEL is, its macros expanded, or what is wrong with its syntax. */
export function parseExpression(source: string): ParsedExpression {
  const size = source.length > longest ? Array.from(source).length : 0;
  if (size > longest) return { expression: undefined, issues: [tooLong(size)] };
  const { tokens, issues } = tokenize(source);
  try {
    return { expression: new ExpressionParser(tokens).parse(), issues };
  } catch (error) {
    if (!(error instanceof ExpressionSyntaxError)) throw error;
    return { expression: undefined, issues: [...issues, error.issue] };
  }
}

export interface ParsedExpression {
  readonly expression: Expression | undefined;
  readonly issues: readonly ExpressionIssue[];
}

/** How many characters an expression may have on kube-apiserver. */
const longest = 100_000;

function tooLong(size: number): ExpressionIssue {
  const message = `expression code point size exceeds limit: size: ${size}, limit ${longest}`;
  return { offset: nowhere, message };
}

/** The words that CEL keeps for itself. */
const reserved: ReadonlySet<string> = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

/** Binary operators, those that bind least first; all of a level group to the left. */
const levels: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['<', '<=', '>=', '>', '==', '!=', 'in'],
  ['+', '-'],
  ['*', '/', '%'],
];

const beginnings =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

class ExpressionParser {
  readonly #tokens: readonly Token[];
  readonly #depth = new ExpressionDepth();
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): Expression {
    const expression = this.#expression();
    if (this.#token.kind !== 'end') {
      this.#unexpected('<EOF>', this.#tokens[this.#at + 1]?.kind === 'end');
    }
    return expression;
  }

  get #token(): Token {
    // The last token is the end, which nothing goes beyond.
    return this.#tokens[this.#at] as Token;
  }

  #is(symbol: string): boolean {
    const { kind, text } = this.#token;
    return text === symbol && (kind === 'symbol' || kind === 'name');
  }

  #take(): Token {
    const token = this.#token;
    if (token.kind !== 'end') this.#at += 1;
    return token;
  }

  #accept(symbol: string): boolean {
    if (!this.#is(symbol)) return false;
    this.#at += 1;
    return true;
  }

  #expect(symbol: string): void {
    if (this.#accept(symbol)) return;
    const { kind, offset } = this.#token;
    // After a parenthesis a text may end, after a colon not.
    if (kind === 'end' && symbol !== ':') {
      throw new ExpressionSyntaxError(offset, `Syntax error: missing '${symbol}' at '<EOF>'`);
    }
    this.#unexpected(`'${symbol}'`, this.#tokens[this.#at + 1]?.text === symbol);
  }

  /** `extraneous`: without this token the text would go on as it should. */
  #unexpected(expected: string, extraneous = false): never {
    const { text, offset } = this.#token;
    const what = extraneous ? 'extraneous' : 'mismatched';
    const message = `Syntax error: ${what} input '${text}' expecting ${expected}`;
    throw new ExpressionSyntaxError(offset, message);
  }

  /** There is no expression where one must begin. */
  #noBeginning(): never {
    const after = this.#tokens[this.#at + 1];
    this.#unexpected(beginnings, after !== undefined && begins(after));
  }

  #expression(): Expression {
    return this.#depth.nested(() => {
      const condition = this.#binary(0);
      const { offset } = this.#token;
      if (!this.#accept('?')) return condition;
      const yes = this.#binary(0);
      this.#expect(':');
      return this.#called('_?_:_', [condition, yes, this.#expression()], offset);
    });
  }

  #binary(level: number): Expression {
    const operators = levels[level];
    if (operators === undefined) return this.#unary();
    if (level < 2) return this.#logic(level);
    let left = this.#binary(level + 1);
    while (operators.some((operator) => this.#is(operator))) {
      const { text, offset } = this.#take();
      const name = text === 'in' ? '@in' : `_${text}_`;
      left = this.#called(name, [left, this.#binary(level + 1)], offset);
    }
    return left;
  }

  /** Long chains of `&&` and `||` are no deeper than short ones. */
  #logic(level: number): Expression {
    const operator = levels[level]?.[0] ?? '';
    const terms = [this.#binary(level + 1)];
    const offsets: number[] = [];
    while (this.#is(operator)) {
      offsets.push(this.#take().offset);
      terms.push(this.#binary(level + 1));
    }
    return balancedLogic(`_${operator}_`, terms, offsets, (call) =>
      this.#depth.around(call, call.args, 0),
    );
  }

  #unary(): Expression {
    const { text: operator, offset } = this.#token;
    if (!this.#is('!') && !this.#is('-')) return this.#member();
    let count = 0;
    while (this.#accept(operator)) count += 1;
    const negative = operator === '-' && /^(int|double)$/.test(this.#token.kind);
    const operand = negative && count === 1 ? this.#number(-1, offset) : this.#member();
    if (count % 2 === 0 || (negative && count === 1)) return operand;
    return this.#called(`${operator}_`, [operand], offset, 0);
  }

  /** A literal with its sign; what follows it belongs to it: `-1.size()`. */
  #number(sign: 1 | -1, offset: number): Expression {
    return this.#members(this.#literal(sign, offset));
  }

  #member(): Expression {
    return this.#members(this.#primary());
  }

  #members(primary: Expression): Expression {
    let expression = primary;
    for (;;) {
      const { offset } = this.#token;
      if (this.#accept('.')) expression = this.#selected(expression, offset);
      else if (this.#accept('[')) expression = this.#indexed(expression, offset);
      else return expression;
    }
  }

  #selected(operand: Expression, offset: number): Expression {
    const optional = this.#accept('?');
    const name = this.#take();
    if (name.kind !== 'name' && name.kind !== 'quotedName') {
      const message = `Syntax error: no viable alternative at input '.${name.text}'`;
      throw new ExpressionSyntaxError(name.offset, message);
    }
    if (name.kind === 'quotedName') {
      throw new ExpressionSyntaxError(name.offset, "unsupported syntax: '`'");
    }
    const field = name.text;
    const place = this.#token.offset;
    if (!optional && this.#accept('(')) {
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
    const name = this.#accept('?') ? '_[?_]' : '_[_]';
    const index = this.#expression();
    this.#expect(']');
    return this.#called(name, [operand, index], offset);
  }

  #primary(): Expression {
    const { offset } = this.#token;
    if (this.#accept('(')) {
      const expression = this.#expression();
      this.#expect(')');
      return expression;
    }
    if (this.#accept('[')) {
      return this.#literalOf({
        kind: 'list',
        elements: this.#list(']', () => this.#element()),
        offset,
      });
    }
    if (this.#accept('{')) {
      return this.#literalOf({
        kind: 'map',
        entries: this.#list('}', () => this.#entry()),
        offset,
      });
    }
    const { kind, text } = this.#token;
    if (kind === 'name' && !constants.has(text)) return this.#name(text);
    if (this.#is('.')) {
      this.#take();
      return this.#name(this.#token.text);
    }
    return this.#literal(1, offset);
  }

  #name(name: string): Expression {
    const { offset } = this.#take();
    if (reserved.has(name)) {
      throw new ExpressionSyntaxError(offset, `reserved identifier: ${name}`);
    }
    const place = this.#token.offset;
    if (this.#accept('(')) {
      const args = this.#list(')', () => this.#expression());
      return this.#call({ kind: 'call', name, target: undefined, args, offset: place });
    }
    return this.#message(name) ?? { kind: 'identifier', name, offset };
  }

  /** `a.b.Type{field: value}`: no rule of a custom resource can make one, so only its type is kept. */
  #message(first: string): Expression | undefined {
    const start = this.#at;
    let type = first;
    while (this.#accept('.')) type += `.${this.#take().text}`;
    const { offset } = this.#token;
    if (!this.#accept('{')) {
      this.#at = start;
      return undefined;
    }
    this.#list('}', () => {
      this.#accept('?');
      this.#take();
      this.#expect(':');
      return this.#expression();
    });
    return { kind: 'message', type, offset };
  }

  #list<T>(end: string, item: () => T): readonly T[] {
    const items: T[] = [];
    while (!this.#accept(end)) {
      items.push(item());
      if (this.#accept(',') && end !== ')') continue;
      if (this.#tokens[this.#at - 1]?.text === ',') {
        if (this.#is(end)) this.#noBeginning();
        continue;
      }
      if (end === ')' && this.#token.kind === 'end') this.#expect(end);
      const after = this.#tokens[this.#at + 1]?.text;
      const extraneous = after === end || after === ',';
      if (!this.#is(end)) this.#unexpected(`{'${end}', ','}`, extraneous);
    }
    return items;
  }

  #element(): Element {
    return { optional: this.#accept('?'), value: this.#expression() };
  }

  #entry(): Entry {
    const optional = this.#accept('?');
    const key = this.#expression();
    this.#expect(':');
    return { optional, key, value: this.#expression() };
  }

  #literal(sign: 1 | -1, offset: number): Expression {
    const token = this.#token;
    const value = literalValue(token, sign);
    if (value === undefined) this.#noBeginning();
    this.#take();
    return { kind: 'literal', value, offset };
  }

  #called(name: string, args: readonly Expression[], offset: number, added: 0 | 1 = 1): Expression {
    const call: Expression = { kind: 'call', name, target: undefined, args, offset };
    return this.#depth.around(call, args, added);
  }

  #call(call: Call): Expression {
    const added = call.target === undefined ? 0 : 1;
    return this.#depth.around(expandMacro(call), childrenOf(call), added);
  }

  #literalOf(literal: Expression): Expression {
    return this.#depth.around(literal, childrenOf(literal), 0);
  }
}

/** Whether an expression may begin with a token. */
function begins({ kind, text }: Token): boolean {
  return kind === 'symbol' ? '[{(.-!'.includes(text) : kind !== 'end' && text !== 'in';
}
