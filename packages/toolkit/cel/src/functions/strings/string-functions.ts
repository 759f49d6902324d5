import { goTrim } from '../../values/go/go-strings.ts';
import { type Overload, overload } from '../../types/function-declaration.ts';
import { fail } from '../../values/evaluation-error.ts';
import { goText } from '../../values/go/go-text.ts';
import { charactersOf } from '../../values/text.ts';
import { itemsOf, type ListValue } from '../../values/list-value.ts';
import type { Value } from '../../values/value.ts';
import { quote } from './quote.ts';

/** The functions of strings; positions count characters. */
export const stringFunctions: readonly Overload[] = [
  ...(['contains', 'startsWith', 'endsWith'] as const).map((name) =>
    overload(`string.${name}(string): bool`, (text: Value, part: Value) => {
      // These functions are called with values of any type.
      if (typeof text !== 'string' || typeof part !== 'string') return fail('no such overload');
      return name === 'contains' ? text.includes(part) : text[name](part);
    }),
  ),
  overload('string.charAt(int): string', charAt),
  overload('string.indexOf(string): int', (text: string, part: string) => indexOf(text, part, 0n)),
  overload('string.indexOf(string, int): int', indexOf),
  overload('string.lastIndexOf(string): int', lastIndexOf),
  overload('string.lastIndexOf(string, int): int', lastIndexFrom),
  overload('string.lowerAscii(): string', (text: string) =>
    text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase()),
  ),
  overload('string.upperAscii(): string', (text: string) =>
    text.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase()),
  ),
  overload('string.replace(string, string): string', (text: string, old: string, next: string) =>
    replace(text, old, next, -1n),
  ),
  overload('string.replace(string, string, int): string', replace),
  overload('string.split(string): list<string>', (text: string, separator: string) =>
    split(text, separator, -1n),
  ),
  overload('string.split(string, int): list<string>', split),
  overload('string.substring(int): string', (text: string, start: bigint) => {
    const characters = charactersOf(text);
    return inside(characters, start).slice(Number(start)).join('');
  }),
  overload('string.substring(int, int): string', substring),
  overload('string.trim(): string', (text: string) =>
    // U+FEFF is a space in JavaScript only, U+0085 in Go only.
    goTrim(text),
  ),
  overload('list<string>.join(): string', (list: ListValue) => join(list, '')),
  overload('list<string>.join(string): string', join),
  overload('strings.quote(string): string', quote),
];

function inside(characters: readonly string[], index: bigint): readonly string[] {
  const within = index >= 0n && index <= characters.length;
  return within ? characters : fail(`index out of range: ${index}`);
}

function charAt(text: string, index: bigint): string {
  return inside(charactersOf(text), index)[Number(index)] ?? '';
}

function substring(text: string, start: bigint, end: bigint): string {
  if (start > end) return fail(`invalid substring range. start: ${start}, end: ${end}`);
  const characters = charactersOf(text);
  inside(characters, start);
  return inside(characters, end).slice(Number(start), Number(end)).join('');
}

function indexOf(text: string, part: string, from: bigint): bigint {
  if (part === '') return from;
  if (from < 0n) return fail(`index out of range: ${from}`);
  const characters = charactersOf(text);
  const before = characters.slice(0, Number(from)).join('').length;
  return characterIndex(text, text.indexOf(part, before));
}

function lastIndexOf(text: string, part: string): bigint {
  const { length } = charactersOf(text);
  if (part === '' || length === 0) return part === '' ? BigInt(length) : -1n;
  return lastIndexFrom(text, part, BigInt(length - 1));
}

function lastIndexFrom(text: string, part: string, from: bigint): bigint {
  if (part === '') return from;
  if (from < 0n) return fail(`index out of range: ${from}`);
  const characters = charactersOf(text);
  if (from >= characters.length) return -1n;
  const before = characters.slice(0, Number(from)).join('').length;
  return characterIndex(text, text.lastIndexOf(part, before));
}

function characterIndex(text: string, index: number): bigint {
  return index < 0 ? -1n : BigInt(charactersOf(text.slice(0, index)).length);
}

/** Replaces up to `most` occurrences; all occurrences if `most` is negative. */
function replace(text: string, old: string, next: string, most: bigint): string {
  if (old === '') return interspersed(text, next, most);
  const parts = text.split(old);
  const count = most < 0n ? parts.length - 1 : Math.min(Number(most), parts.length - 1);
  const head = parts.slice(0, count + 1).join(next);
  return [head, ...parts.slice(count + 1)].join(old);
}

/** Inserts a string before every character and at the end. */
function interspersed(text: string, next: string, most: bigint): string {
  const characters = [...charactersOf(text), ''];
  const count = most < 0n ? characters.length : Number(most);
  return characters
    .map((character, index) => (index < count ? next + character : character))
    .join('');
}

function split(text: string, separator: string, most: bigint): readonly string[] {
  if (most === 0n) return [];
  const parts = separator === '' ? charactersOf(text) : text.split(separator);
  if (most < 0n || parts.length <= most) return parts;
  const head = parts.slice(0, Number(most) - 1);
  return [...head, parts.slice(Number(most) - 1).join(separator)];
}

function join(list: ListValue, separator: string): string {
  const other = itemsOf(list).find((item) => typeof item !== 'string');
  return other === undefined
    ? itemsOf(list).join(separator)
    : fail(`join: invalid input: ${goText(other)}`);
}
