import { shortEscapes } from './short-escapes.ts';
import { isList, itemsOf } from './list-value.ts';
import { showDouble } from './show-double.ts';
import type { Value } from './value.ts';

/** Formats a value for an error message. */
export function showValue(value: Value): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (typeof value === 'number') return showDouble(value);
  // Go prints the number of the enumeration.
  if (value === null) return '0';
  return isList(value) ? `[${itemsOf(value).map(showValue).join(', ')}]` : String(value);
}

/** Quotes a string as Go does in messages. */
export function quoteText(text: string): string {
  return `"${Array.from(text, quotedCharacter).join('')}"`;
}

/** The characters that Go prints without an escape. */
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

function quotedCharacter(character: string): string {
  const escape = shortEscapes.get(character);
  if (escape !== undefined || printable.test(character)) return escape ?? character;
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  if (code < 0x80) return `\\x${digits.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`;
}
