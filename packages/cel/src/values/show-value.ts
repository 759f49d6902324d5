import { isList, itemsOf } from './list-value.ts';
import { showDouble } from './show-double.ts';
import type { Value } from './value.ts';

/** Formats a value for an error message. */
export function showValue(value: Value): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (typeof value === 'number') return showDouble(value);
  return isList(value) ? `[${itemsOf(value).map(showValue).join(', ')}]` : String(value);
}

/** Quotes a string as Go does in messages. */
export function quoteText(text: string): string {
  return JSON.stringify(text)
    .replaceAll(/\\u00([01][\da-f])/g, (_, code: string) => named[code] ?? `\\x${code}`)
    .replaceAll('\u007F', '\\x7f');
}

const named: Readonly<Record<string, string>> = { '07': '\\a', '0b': '\\v' };
