import { checkLabelValue, checkQualifiedName } from '@keelson/cel/internal';
import { byCodeUnit } from '../storage/sorted-keys.ts';

/**
 * Returns the reason, in kube-apiserver's words, for which a label selector is invalid; `undefined` if it is valid.
 * Keys are checked while parsing, values after their requirement.
 */
export function labelSelectorRefusal(text: string): string | undefined {
  try {
    new Reader(text).read();
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

class Refusal extends Error {
  override readonly name = 'Refusal';
}

const tokenPattern = /[ \t\r\n]*(==|!=|[=!(),<>]|[^ \t\r\n=!(),<>]+|$)/y;
const symbols: ReadonlySet<string> = new Set(['==', '!=', '=', '!', '(', ')', ',', '<', '>', '']);
const operators: ReadonlySet<string> = new Set(['in', 'notin', '=', '==', '!=', '<', '>']);

class Reader {
  readonly #text: string;
  /** The next token; empty at the end of the selector. */
  #next = '';

  constructor(text: string) {
    this.#text = text;
    tokenPattern.lastIndex = 0;
    this.#take();
  }

  read(): void {
    while (this.#next !== '') {
      if (symbols.has(this.#next) && this.#next !== '!') {
        throw new Refusal(`found '${this.#next}', expected: !, identifier, or 'end of string'`);
      }
      this.#requirement();
      const end = this.#take();
      if (end === '') return;
      if (end !== ',') throw new Refusal(`found '${end}', expected: ',' or 'end of string'`);
      if (symbols.has(this.#next) && this.#next !== '!') {
        throw new Refusal(`found '${this.#next}', expected: identifier after ','`);
      }
    }
  }

  #requirement(): void {
    const negated = this.#next === '!';
    if (negated) this.#take();
    const key = this.#identifier();
    const problems = checkQualifiedName(key);
    if (problems.length > 0) throw invalidRequirement([invalid('<nil>', key, problems.join('; '))]);
    if (negated || this.#next === '' || this.#next === ',') return;
    const operator = this.#take();
    if (!operators.has(operator))
      throw unexpected(operator, ', expected: in, notin, =, ==, !=, gt, lt');
    const values = operator.endsWith('in') ? this.#valueSet() : [this.#value()];
    checkValues(key, operator, values);
  }

  #valueSet(): string[] {
    const open = this.#take();
    if (open !== '(') throw unexpected(open, " expected: '('");
    if (symbols.has(this.#next) && this.#next !== ',' && this.#next !== ')') {
      throw unexpected(this.#next, ", expected: ',', ')' or identifier");
    }
    const values = [this.#member()];
    while (this.#next === ',') {
      this.#take();
      values.push(this.#member());
    }
    if (this.#take() !== ')') throw unexpected('', ", expected: ',' or ')'");
    return values;
  }

  /** Reads a value between parentheses; a missing value is the empty string. */
  #member(): string {
    if (this.#next === ',' || this.#next === ')') return '';
    if (symbols.has(this.#next)) throw unexpected(this.#next, ", expected: ',', or identifier");
    const value = this.#take();
    if (this.#next === ',' || this.#next === ')') return value;
    throw unexpected(this.#next, ", expected: ',' or ')'");
  }

  #value(): string {
    return this.#next === '' || this.#next === ',' ? '' : this.#identifier();
  }

  #identifier(): string {
    const found = this.#take();
    if (symbols.has(found)) throw unexpected(found, ', expected: identifier');
    return found;
  }

  #take(): string {
    const taken = this.#next;
    this.#next = tokenPattern.exec(this.#text)?.[1] ?? '';
    return taken;
  }
}

function checkValues(key: string, operator: string, values: readonly string[]): void {
  const sorted = [...new Set(values)].toSorted(byCodeUnit);
  const compares = operator === '<' || operator === '>';
  const integers = sorted.flatMap((value, index) =>
    compares && !isInteger(value)
      ? [
          invalid(
            `values[${index}]`,
            value,
            "for 'Gt', 'Lt' operators, the value must be an integer",
          ),
        ]
      : [],
  );
  const texts = sorted.flatMap((value, index) => {
    const problems = checkLabelValue(value);
    return problems.length === 0
      ? []
      : [invalid(`values[${index}][${key}]`, value, problems.join('; '))];
  });
  if (integers.length + texts.length > 0) throw invalidRequirement([...integers, ...texts]);
}

/** True for a string that Go parses as a 64-bit integer. */
function isInteger(text: string): boolean {
  if (!/^[+-]?\d+$/.test(text)) return false;
  const value = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, value) === value;
}

function invalid(field: string, value: string, why: string): string {
  return `${field}: Invalid value: ${JSON.stringify(value)}: ${why}`;
}

function unexpected(found: string, expected: string): Refusal {
  return invalidRequirement([`found '${found}'${expected}`]);
}

function invalidRequirement(problems: readonly string[]): Refusal {
  const [first = '', ...others] = problems;
  const all = others.length === 0 ? first : `[${problems.join(', ')}]`;
  return new Refusal(`unable to parse requirement: ${all}`);
}
