import { quoteText } from '../show-value.ts';

/** The bits of an address and its family. */
export interface AddressBits {
  readonly family: 4 | 6;
  readonly bits: bigint;
}

/** An invalid address, with the message of Go's `netip` and the position. */
class AddressProblem extends Error {
  override readonly name = 'AddressProblem';

  constructor(words: string, at?: string) {
    super(at === undefined ? words : `${words} (at ${quoteText(at)})`);
  }
}

/** Parses an address; returns Go's message if it is invalid. */
export function parseAddress(text: string): AddressBits | string {
  try {
    return addressOf(text);
  } catch (error) {
    if (!(error instanceof AddressProblem)) throw error;
    return `ParseAddr(${quoteText(text)}): ${error.message}`;
  }
}

function addressOf(text: string): AddressBits {
  switch (/[.:%]/.exec(text)?.[0]) {
    case '.':
      return { family: 4, bits: parseFour(text) };
    case ':':
      return { family: 6, bits: new Ipv6Parser(text).parse() };
    case '%':
      throw new AddressProblem('missing IPv6 address');
    default:
      throw new AddressProblem('unable to parse IP');
  }
}

function parseFour(text: string): bigint {
  const fields: number[] = [];
  let digits = '';
  for (const [index, character] of Array.from(text).entries()) {
    if (/\d/.test(character)) {
      if (digits === '0') throw new AddressProblem('IPv4 field has octet with leading zero');
      digits += character;
      if (Number(digits) > 255) throw new AddressProblem('IPv4 field has value >255');
    } else if (character !== '.') {
      throw new AddressProblem('unexpected character', text.slice(index));
    } else {
      if (digits === '' || index === text.length - 1) {
        throw new AddressProblem('IPv4 field must have at least one digit', text.slice(index));
      }
      if (fields.length === 3) throw new AddressProblem('IPv4 address too long');
      fields.push(Number(digits));
      digits = '';
    }
  }
  if (fields.length < 3) throw new AddressProblem('IPv4 address too short');
  return [...fields, Number(digits)].reduce((bits, field) => (bits << 8n) | BigInt(field), 0n);
}

/** Parses IPv6 groups from left to right; `::` is expanded to zeros at the end. */
class Ipv6Parser {
  #rest: string;
  #groups: bigint[] = [];
  /** The number of groups before `::`. */
  #ellipsis: number | undefined;

  constructor(text: string) {
    const [address = '', zone] = text.split('%');
    if (zone === '') throw new AddressProblem('zone must be a non-empty string');
    this.#rest = address;
  }

  parse(): bigint {
    if (this.#rest.startsWith('::')) {
      this.#ellipsis = 0;
      this.#rest = this.#rest.slice(2);
    }
    while (this.#groups.length < 8 && this.#more()) this.#group();
    if (this.#rest !== '') throw new AddressProblem('trailing garbage after address', this.#rest);
    return this.#expanded().reduce((bits, group) => (bits << 16n) | group, 0n);
  }

  #more(): boolean {
    return this.#rest !== '' || (this.#groups.length === 0 && this.#ellipsis === undefined);
  }

  #group(): void {
    const [digits = ''] = /^[\da-fA-F]*/.exec(this.#rest) ?? [];
    if (digits.length > 4) {
      throw new AddressProblem('each group must have 4 or less digits', this.#rest);
    }
    if (digits === '') {
      const words = 'each colon-separated field must have at least one digit';
      throw new AddressProblem(words, this.#rest);
    }
    if (this.#rest[digits.length] === '.') {
      this.#four();
      return;
    }
    this.#groups.push(BigInt(`0x${digits}`));
    this.#rest = this.#rest.slice(digits.length);
    if (this.#rest !== '') this.#colon();
  }

  #colon(): void {
    const rest = this.#rest;
    if (!rest.startsWith(':')) throw new AddressProblem('unexpected character, want colon', rest);
    if (rest.length === 1) {
      throw new AddressProblem('colon must be followed by more characters', rest);
    }
    this.#rest = rest.slice(1);
    if (!this.#rest.startsWith(':')) return;
    if (this.#ellipsis !== undefined) {
      throw new AddressProblem('multiple :: in address', this.#rest);
    }
    this.#ellipsis = this.#groups.length;
    this.#rest = this.#rest.slice(1);
  }

  /** Parses the last 32 bits in IPv4 notation. */
  #four(): void {
    if (this.#ellipsis === undefined && this.#groups.length !== 6) {
      const words = 'embedded IPv4 address must replace the final 2 fields of the address';
      throw new AddressProblem(words, this.#rest);
    }
    if (this.#groups.length > 6) {
      const words = 'too many hex fields to fit an embedded IPv4 at the end of the address';
      throw new AddressProblem(words, this.#rest);
    }
    const bits = parseFour(this.#rest);
    this.#groups.push(bits >> 16n, bits & 0xffffn);
    this.#rest = '';
  }

  #expanded(): readonly bigint[] {
    const missing = 8 - this.#groups.length;
    if (this.#ellipsis === undefined) {
      if (missing > 0) throw new AddressProblem('address string too short');
      return this.#groups;
    }
    if (missing === 0) {
      throw new AddressProblem('the :: must expand to at least one field of zeros');
    }
    const zeros = Array.from({ length: missing }, () => 0n);
    return this.#groups.toSpliced(this.#ellipsis, 0, ...zeros);
  }
}
