import { parseInt64, type LabelOperator, type LabelRequirement } from './label-requirement.ts';
import { labelKeyProblem, labelValueProblem } from '../objects/name.ts';
import { selectorSyntaxError } from './selector-syntax-error.ts';

interface Token {
  readonly kind: 'word' | 'symbol' | 'end';
  readonly text: string;
  readonly position: number;
}

const tokenPattern = /\s*(?:(==|!=|[=!(),<>])|([^\s=!(),<>]+))/y;

const comparisons: ReadonlyMap<string, LabelOperator> = new Map([
  ['=', 'in'],
  ['==', 'in'],
  ['!=', 'notin'],
  ['>', 'gt'],
  ['<', 'lt'],
]);

/**
 * The grammar of Kubernetes' label selectors (`k8s.io/apimachinery/pkg/labels`), by recursive descent:
 *
 *     selector    = [ requirement { "," requirement } ]
 *     requirement = [ "!" ] key | key ( "=" | "==" | "!=" | ">" | "<" ) [ value ]
 *                 | key ( "in" | "notin" ) "(" [ value ] { "," [ value ] } ")"
 */
export class LabelSelectorParser {
  readonly #text: string;
  #token: Token;
  #offset = 0;

  constructor(text: string) {
    this.#text = text;
    this.#token = this.#scan();
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    if (this.#atEnd()) return requirements;
    requirements.push(this.#requirement());
    while (!this.#atEnd()) {
      this.#expect(',');
      requirements.push(this.#requirement());
    }
    return requirements;
  }

  #requirement(): LabelRequirement {
    const negated = this.#accept('!');
    const key = this.#key();
    if (negated) return { key, operator: 'notexists', values: [] };
    if (this.#atEnd() || this.#isSymbol(',')) {
      return { key, operator: 'exists', values: [] };
    }
    return this.#comparison(key);
  }

  #comparison(key: string): LabelRequirement {
    const { kind, text } = this.#token;
    if (kind === 'word' && (text === 'in' || text === 'notin')) {
      this.#next();
      return { key, operator: text, values: this.#valueSet() };
    }
    const operator = kind === 'symbol' ? comparisons.get(text) : undefined;
    if (operator === undefined) throw this.#unexpected('an operator');
    this.#next();
    const bound = operator === 'gt' || operator === 'lt';
    return { key, operator, values: [bound ? this.#integer() : this.#value()] };
  }

  #valueSet(): string[] {
    this.#expect('(');
    const values = [this.#value()];
    while (this.#accept(',')) values.push(this.#value());
    this.#expect(')');
    return values;
  }

  #key(): string {
    return this.#word('a key', labelKeyProblem);
  }

  /** Reads a value. If it is missing, the value is the empty string. */
  #value(): string {
    const absent = this.#atEnd() || this.#isSymbol(',') || this.#isSymbol(')');
    return absent ? '' : this.#word('a value', labelValueProblem);
  }

  #integer(): string {
    return this.#word('an integer', (text) =>
      parseInt64(text) === undefined ? 'not an integer of 64 bits' : labelValueProblem(text),
    );
  }

  #word(expected: string, problemOf: (text: string) => string | undefined): string {
    const { kind, text, position } = this.#token;
    if (kind !== 'word') throw this.#unexpected(expected);
    const problem = problemOf(text);
    if (problem !== undefined) throw this.#error(position, problem);
    this.#next();
    return text;
  }

  #atEnd(): boolean {
    return this.#token.kind === 'end';
  }

  #isSymbol(symbol: string): boolean {
    return this.#token.kind === 'symbol' && this.#token.text === symbol;
  }

  #accept(symbol: string): boolean {
    const accepted = this.#isSymbol(symbol);
    if (accepted) this.#next();
    return accepted;
  }

  #expect(symbol: string): void {
    if (!this.#accept(symbol)) throw this.#unexpected(`"${symbol}"`);
  }

  #next(): void {
    this.#token = this.#scan();
  }

  #scan(): Token {
    tokenPattern.lastIndex = this.#offset;
    const match = tokenPattern.exec(this.#text);
    if (match === null) return { kind: 'end', text: '', position: this.#text.length };
    const [whole, symbol, word = ''] = match;
    const text = symbol ?? word;
    this.#offset += whole.length;
    return {
      kind: symbol === undefined ? 'word' : 'symbol',
      text,
      position: this.#offset - text.length,
    };
  }

  #unexpected(expected: string): Error {
    const { kind, text, position } = this.#token;
    const found = kind === 'end' ? 'the end' : `"${text}"`;
    return this.#error(position, `found ${found}, expected ${expected}`);
  }

  #error(position: number, reason: string): Error {
    return selectorSyntaxError('INVALID_LABEL_SELECTOR', this.#text, position, reason);
  }
}
