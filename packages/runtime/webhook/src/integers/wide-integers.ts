import { WebhookError } from '../errors.ts';
import { isRecord } from '../admission/json-value.ts';
import { exactInteger, isExactInteger } from './exact-json.ts';

/** An integer of 16 digits or more in a text, apart from those of hashes and of numbers with a fraction. */
const INTEGER_IN_TEXT = /(?<![\w.])-?\d{16,}(?![\w.])/g;

/** The digits of each rounded number of an object; of several integers that are rounded to the same one all. */
type Digits = ReadonlyMap<number, ReadonlySet<string>>;

/**
 * The integers beyond 2^53 of objects, by the number to which JavaScript rounds them. A handler sees that number. Where its
 * result has it, as a number or in a text, the digits of the first object that has it are restored.
 */
export class WideIntegers {
  readonly #webhook: string;
  readonly #objects: readonly Digits[];
  readonly #texts = new Set<string>();

  /** `objects` are results of `parseExactly`. */
  constructor(objects: readonly unknown[], webhook: string) {
    this.#webhook = webhook;
    this.#objects = objects.map((object) => {
      const digits = new Map<number, Set<string>>();
      this.#read(object, digits);
      return digits;
    });
  }

  /**
   * Returns a copy of the value in which each rounded number has the digits of the object. Throws `WEBHOOK_RESULT` for a number
   * to which several integers of that object are rounded.
   */
  restore(value: unknown): unknown {
    if (typeof value === 'number') return this.#integer(value);
    if (typeof value === 'string') return this.#text(value);
    if (Array.isArray(value)) return value.map((item) => this.restore(item));
    if (!isRecord(value)) return value;
    // Object.fromEntries adds a member `__proto__` as JSON.parse does.
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, this.restore(member)]),
    );
  }

  #read(value: unknown, digits: Map<number, Set<string>>): void {
    if (isExactInteger(value)) add(digits, value.rawJSON);
    else if (typeof value === 'string') this.#readText(value, digits);
    else if (typeof value === 'object' && value !== null)
      Object.values(value).forEach((member) => this.#read(member, digits));
  }

  /** An annotation may keep integers of another version. */
  #readText(text: string, digits: Map<number, Set<string>>): void {
    const found = text.match(INTEGER_IN_TEXT) ?? [];
    if (found.length > 0) this.#texts.add(text);
    for (const each of found) if (!Number.isSafeInteger(Number(each))) add(digits, each);
  }

  #integer(value: number): unknown {
    if (Number.isSafeInteger(value)) return value;
    const digits = this.#digitsOf(value);
    return digits === undefined ? value : exactInteger(digits);
  }

  #text(text: string): string {
    if (this.#texts.has(text)) return text;
    return text.replaceAll(INTEGER_IN_TEXT, (digits) => {
      const value = Number(digits);
      if (Number.isSafeInteger(value) || digits !== String(value)) return digits;
      return this.#digitsOf(value) ?? digits;
    });
  }

  #digitsOf(value: number): string | undefined {
    const found = this.#objects.find((digits) => digits.has(value))?.get(value);
    const known = [...(found ?? [])];
    if (known.length <= 1) return known[0];
    const reason = `the integers ${known.join(' and ')} of the object are rounded to one number`;
    throw new WebhookError('WEBHOOK_RESULT', { webhook: this.#webhook, reason });
  }
}

function add(digits: Map<number, Set<string>>, integer: string): void {
  const rounded = Number(integer);
  const known = digits.get(rounded) ?? new Set();
  digits.set(rounded, known.add(integer));
}
