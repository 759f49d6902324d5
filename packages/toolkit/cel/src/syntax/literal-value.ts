import { UnsignedInt } from '../values/unsigned-int.ts';
import type { Value } from '../values/value.ts';
import type { ExpressionIssue } from './expression-issue.ts';
import { LiteralError, unescapeBytes, unescapeText } from './text-literal.ts';
import type { Token } from './token.ts';

/** The literals that are words. */
export const constants: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Collects the issues of literals. Parsing continues after an invalid literal. */
type Report = (issue: ExpressionIssue) => void;

/** Returns the value of a literal token, with any value for an invalid literal; `undefined` for other tokens. */
export function literalValue(token: Token, sign: 1 | -1, report: Report): Value | undefined {
  const value = valueOf(token, sign);
  if (!(value instanceof LiteralError)) return value;
  report({ offset: token.offset, message: value.message });
  return null;
}

function valueOf({ kind, text }: Token, sign: 1 | -1): Value | LiteralError | undefined {
  switch (kind) {
    case 'name':
      return constants.get(text);
    case 'int':
      return integer(BigInt(text) * BigInt(sign));
    case 'uint':
      return unsigned(text);
    case 'double':
      return double(Number(text) * sign);
    case 'text':
      return unescaped(text, unescapeText, (raw) => raw);
    case 'bytes':
      return unescaped(text.slice(1), unescapeBytes, (raw) => Buffer.from(raw));
    default:
      return undefined;
  }
}

function integer(value: bigint): bigint | LiteralError {
  return BigInt.asIntN(64, value) === value ? value : new LiteralError('invalid int literal');
}

function unsigned(text: string): UnsignedInt | LiteralError {
  const value = BigInt(text.slice(0, -1));
  const fits = BigInt.asUintN(64, value) === value;
  return fits ? new UnsignedInt(value) : new LiteralError('invalid uint literal');
}

function double(value: number): number | LiteralError {
  return Number.isFinite(value) ? value : new LiteralError('invalid double literal');
}

function unescaped<T extends Value>(
  written: string,
  unescape: (body: string) => T | LiteralError,
  plain: (body: string) => T,
): T | LiteralError {
  const raw = /^r/i.test(written);
  const body = withoutQuotes(raw ? written.slice(1) : written).replaceAll(/\r\n?/g, '\n');
  return raw ? plain(body) : unescape(body);
}

function withoutQuotes(written: string): string {
  const quotes = /^("""|''')/.test(written) ? 3 : 1;
  return written.slice(quotes, -quotes);
}
