import { jsonText } from './exact-json.ts';
import { goNumberType } from './go-number.ts';

/** Characters that Go's `%q` escapes. Of the spaces it prints only U+0020. */
const unprintable = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

const named: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** Quotes a text as Go's `%q` does. */
export function goQuote(text: string): string {
  return `"${text.replaceAll(unprintable, (sign) => named[sign] ?? codeOf(sign))}"`;
}

function codeOf(sign: string): string {
  const code = sign.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x80) return `\\x${hex.padStart(2, '0')}`;
  return code < 0x1_00_00 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/** The exponent from which Go's `%v` prints a double with one. */
const GREAT_EXPONENT = 6;

/** Prints a number as Go's `%v` does. An integer that JavaScript holds exactly is an integer in Go. */
export function goNumber(value: number | bigint): string {
  if (typeof value === 'bigint' || goNumberType(value) === 'int64') return String(value);
  return goDouble(value);
}

/** Prints a double as Go's `%v` does, also one without a fraction. */
export function goDouble(value: number): string {
  const [mantissa = '', exponent = ''] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < GREAT_EXPONENT) return String(value);
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** Prints JSON as Go's encoder does, without signs that HTML reads. Members keep their order, as those of a struct do. */
export function goJson(value: unknown): string {
  return jsonText(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
