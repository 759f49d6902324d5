import { isJsonNumber } from '@keelson/structural-schema';

/** The message of Go's decoder for invalid JSON. */
export function jsonSyntaxError(text: string | Buffer): string {
  try {
    new Scanner(typeof text === 'string' ? Buffer.from(text) : text).scan();
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    throw error;
  }
  return 'invalid JSON';
}

/** The type name that Go uses in "cannot unmarshal" errors. */
export function goKind(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (isJsonNumber(value)) return 'number';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** The Go type into which the decoder reads `apiVersion` and `kind`, as its errors print it. */
export const typeMeta: string =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'end of value';

const space: ReadonlySet<number> = new Set([32, 9, 13, 10]);
const whole = /^(?:0|[1-9]\d*)/;

/** Scans JSON up to the first error; positions count bytes. */
class Scanner {
  readonly #bytes: Buffer;
  readonly #open: ('{' | '[')[] = [];
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  scan(): void {
    let expected: Expected = 'value';
    for (;;) {
      while (space.has(this.#bytes[this.#at] ?? 0)) this.#at++;
      const isEnd = this.#at >= this.#bytes.length;
      if (isEnd && expected === 'end of value' && this.#open.length === 0) return;
      expected = this.#step(expected, this.#peek());
    }
  }

  #step(expected: Expected, character: string): Expected {
    switch (expected) {
      case 'key':
      case 'key or }':
        if (expected === 'key or }' && character === '}') return this.#close();
        if (character !== '"') throw this.#wrong('looking for beginning of object key string');
        this.#string();
        return 'colon';
      case 'colon':
        if (character !== ':') throw this.#wrong('after object key');
        this.#at++;
        return 'value';
      case 'end of value':
        return this.#afterValue(character);
      default:
        if (expected === 'value or ]' && character === ']') return this.#close();
        return this.#value(character);
    }
  }

  #afterValue(character: string): Expected {
    const inside = this.#open.at(-1);
    if (inside === undefined) throw this.#wrong('after top-level value');
    if (character === (inside === '{' ? '}' : ']')) return this.#close();
    if (character !== ',') {
      throw this.#wrong(inside === '{' ? 'after object key:value pair' : 'after array element');
    }
    this.#at++;
    return inside === '{' ? 'key' : 'value';
  }

  #value(character: string): Expected {
    if (character === '{' || character === '[') {
      this.#open.push(character);
      this.#at++;
      return character === '{' ? 'key or }' : 'value or ]';
    }
    if (character === '"') this.#string();
    else if (/[-\d]/.test(character)) this.#number();
    else this.#literal(character);
    return 'end of value';
  }

  #close(): Expected {
    this.#open.pop();
    this.#at++;
    return 'end of value';
  }

  #literal(first: string): void {
    const literal = ['true', 'false', 'null'].find((word) => word.startsWith(first));
    if (literal === undefined) throw this.#wrong('looking for beginning of value');
    for (const expected of literal) {
      if (this.#peek() !== expected) {
        throw this.#wrong(`in literal ${literal} (expecting '${expected}')`);
      }
      this.#at++;
    }
  }

  #number(): void {
    if (this.#peek() === '-') this.#at++;
    if (!/\d/.test(this.#peek())) throw this.#wrong('in numeric literal');
    const digits = whole.exec(this.#bytes.toString('latin1', this.#at))?.[0] ?? '';
    this.#at += digits.length;
    if (this.#current() === '.') {
      this.#at++;
      this.#digits('after decimal point in numeric literal');
    }
    if (this.#current().toLowerCase() !== 'e') return;
    this.#at++;
    if (/[-+]/.test(this.#peek())) this.#at++;
    this.#digits('in exponent of numeric literal');
  }

  #digits(context: string): void {
    if (!/\d/.test(this.#peek())) throw this.#wrong(context);
    while (/\d/.test(this.#current())) this.#at++;
  }

  #string(): void {
    this.#at++;
    for (let character = this.#peek(); character !== '"'; character = this.#peek()) {
      if (character < ' ') throw this.#wrong('in string literal');
      this.#at++;
      if (character === '\\') this.#escape();
    }
    this.#at++;
  }

  #escape(): void {
    const code = this.#peek();
    if (!/[bfnrt\\/"u]/.test(code)) throw this.#wrong('in string escape code');
    this.#at++;
    for (let count = code === 'u' ? 4 : 0; count > 0; count--) {
      if (!/[\da-f]/i.test(this.#peek())) {
        throw this.#wrong('in \\u hexadecimal character escape');
      }
      this.#at++;
    }
  }

  /** The next byte as a character; empty at the end. */
  #current(): string {
    const byte = this.#bytes[this.#at];
    return byte === undefined ? '' : String.fromCharCode(byte);
  }

  /** The next byte. Throws at the end of the text. */
  #peek(): string {
    const character = this.#current();
    if (character === '') throw new SyntaxError('unexpected end of JSON input');
    return character;
  }

  #wrong(context: string): SyntaxError {
    return new SyntaxError(`invalid character ${quoted(this.#peek())} ${context}`);
  }
}

const escapes: Readonly<Record<string, string>> = {
  "'": "'\\''",
  '\\': "'\\\\'",
  '\u0007': "'\\a'",
  '\b': "'\\b'",
  '\f': "'\\f'",
  '\n': "'\\n'",
  '\r': "'\\r'",
  '\t': "'\\t'",
  '\v': "'\\v'",
};

/** Quotes a byte like Go. */
function quoted(character: string): string {
  const escape = escapes[character];
  if (escape !== undefined) return escape;
  const code = character.charCodeAt(0);
  if (code < 32 || code === 127) return `'\\x${code.toString(16).padStart(2, '0')}'`;
  return (code > 127 && code < 161) || code === 173
    ? `'\\u${code.toString(16).padStart(4, '0')}'`
    : `'${character}'`;
}
