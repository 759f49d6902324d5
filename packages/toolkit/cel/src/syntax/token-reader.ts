import { ExpressionSyntaxError } from './expression-issue.ts';
import type { Token } from './token.ts';

/** The tokens that may start an expression, as ANTLR lists them in messages. */
const beginnings =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** Reads the tokens of an expression and reports unexpected tokens with the messages of ANTLR. */
export class TokenReader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get token(): Token {
    // The last token is the end; the position never moves past it.
    return this.#tokens[this.#at] as Token;
  }

  get following(): Token | undefined {
    return this.#tokens[this.#at + 1];
  }

  /** The current position. Setting it back re-reads the tokens after it. */
  get position(): number {
    return this.#at;
  }

  returnTo(position: number): void {
    this.#at = position;
  }

  is(symbol: string): boolean {
    const { kind, text } = this.token;
    return text === symbol && (kind === 'symbol' || kind === 'name');
  }

  take(): Token {
    const token = this.token;
    if (token.kind !== 'end') this.#at += 1;
    return token;
  }

  accept(symbol: string): boolean {
    if (!this.is(symbol)) return false;
    this.#at += 1;
    return true;
  }

  expect(symbol: string): void {
    if (this.accept(symbol)) return;
    const { kind, offset } = this.token;
    // The message depends on the expected symbol: a missing parenthesis at the end has its own message.
    if (kind === 'end' && symbol !== ':') {
      throw new ExpressionSyntaxError(offset, `Syntax error: missing '${symbol}' at '<EOF>'`);
    }
    this.unexpected(`'${symbol}'`, this.following?.text === symbol);
  }

  /** As `expect`, for a symbol that an expression must follow. */
  expectBeforeExpression(symbol: string): void {
    const { text, offset } = this.token;
    if (this.is(symbol) || !begins(this.token)) this.expect(symbol);
    else throw new ExpressionSyntaxError(offset, `Syntax error: missing '${symbol}' at '${text}'`);
  }

  /** Reports an unexpected token. `extraneous`: the source would be valid without this token. */
  unexpected(expected: string, extraneous = false): never {
    const { text, offset } = this.token;
    const what = extraneous ? 'extraneous' : 'mismatched';
    const message = `Syntax error: ${what} input '${text}' expecting ${expected}`;
    throw new ExpressionSyntaxError(offset, message);
  }

  /** Reports a token that cannot start an expression. */
  noBeginning(): never {
    this.unexpected(beginnings, this.following !== undefined && begins(this.following));
  }
}

/** True if an expression may start with the token. */
function begins({ kind, text }: Token): boolean {
  return kind === 'symbol' ? '[{(.-!'.includes(text) : kind !== 'end' && text !== 'in';
}
