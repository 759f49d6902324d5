import { UnsignedInt } from '../values/unsigned-int.ts';
import type { Value } from '../values/value.ts';
import { ExpressionSyntaxError } from './expression-issue.ts';
import { unescapeBytes, unescapeText } from './text-literal.ts';
import type { Token } from './token.ts';

/** The literals that are words. */
export const constants: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Returns the value of a literal token; `undefined` for other tokens. */
export function literalValue({ kind, text, offset }: Token, sign: 1 | -1): Value | undefined {
  switch (kind) {
    case 'name':
      return constants.get(text);
    case 'int':
      return integer(BigInt(text) * BigInt(sign), offset);
    case 'uint':
      return new UnsignedInt(BigInt(text.slice(0, -1)));
    case 'double':
      return Number(text) * sign;
    case 'text':
      return textOf(text, offset);
    case 'bytes':
      return bytesOf(text.slice(1), offset);
    default:
      return undefined;
  }
}

function integer(value: bigint, offset: number): bigint {
  if (BigInt.asIntN(64, value) === value) return value;
  throw new ExpressionSyntaxError(offset, 'invalid int literal');
}

function textOf(written: string, offset: number): string {
  const raw = /^r/i.test(written);
  const body = withoutQuotes(raw ? written.slice(1) : written);
  return raw ? body : unescapeText(body, offset);
}

function bytesOf(written: string, offset: number): Uint8Array {
  const raw = /^r/i.test(written);
  const body = withoutQuotes(raw ? written.slice(1) : written);
  return raw ? Buffer.from(body) : unescapeBytes(body, offset);
}

function withoutQuotes(written: string): string {
  const quotes = /^("""|''')/.test(written) ? 3 : 1;
  return written.slice(quotes, -quotes);
}
