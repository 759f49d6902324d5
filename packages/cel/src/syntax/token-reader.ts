import { ExpressionSyntaxError } from './expression-issue.ts';
import type { Token } from './token.ts';

/** What ANTLR names where an expression must begin. */
const beginnings =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** Goes through the tokens of an expression, and says in ANTLR's words where one is not what it should be. */
export class TokenReader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get token(): Token {
    // The last token is the end, which nothing goes beyond.
    return this.#tokens[this.#at] as Token;
  }

  get following(): Token | undefined {
    return this.#tokens[this.#at + 1];
  }

  /** Where to return to, if what is read from here turns out to be something else. */
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
    // After a parenthesis a text may end, after a colon not.
    if (kind === 'end' && symbol !== ':') {
      throw new ExpressionSyntaxError(offset, `Syntax error: missing '${symbol}' at '<EOF>'`);
    }
    this.unexpected(`'${symbol}'`, this.following?.text === symbol);
  }

  /** `extraneous`: without this token the text would go on as it should. */
  unexpected(expected: string, extraneous = false): never {
    const { text, offset } = this.token;
    const what = extraneous ? 'extraneous' : 'mismatched';
    const message = `Syntax error: ${what} input '${text}' expecting ${expected}`;
    throw new ExpressionSyntaxError(offset, message);
  }

  /** There is no expression where one must begin. */
  noBeginning(): never {
    this.unexpected(beginnings, this.following !== undefined && begins(this.following));
  }
}

/** Whether an expression may begin with a token. */
function begins({ kind, text }: Token): boolean {
  return kind === 'symbol' ? '[{(.-!'.includes(text) : kind !== 'end' && text !== 'in';
}
