import { selectorSyntaxError } from './selector-syntax-error.ts';

/** One condition of a field selector: the field at `path` equals, or does not equal, `value`. */
export interface FieldRequirement {
  readonly path: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** A field selector in normal form: sorted, without duplicates. Every requirement must match. */
export type FieldRequirements = readonly FieldRequirement[];

/**
 * Parses a selector such as `metadata.name=web,status.phase!=Running`. In a value, `\\`, `\,` and `\=`
 * represent the second character. The empty selector selects everything. Throws `INVALID_FIELD_SELECTOR` with
 * the position of the error.
 */
export function parseFieldSelector(text: string): FieldRequirements {
  const byText = new Map<string, FieldRequirement>();
  for (const { from, to } of terms(text)) {
    const requirement = parseTerm(text, from, to);
    byText.set(print(requirement), requirement);
  }
  return [...byText.keys()].toSorted().flatMap((key) => byText.get(key) ?? []);
}

/** Returns normalized requirements as text for a URL. Empty if everything is selected. */
export function printFieldSelector(requirements: FieldRequirements): string {
  return requirements.map(print).join(',');
}

/** Returns the normal form of a selector: equal selectors have equal strings. Throws `INVALID_FIELD_SELECTOR`. */
export function normalFieldSelector(text: string): string {
  return printFieldSelector(parseFieldSelector(text));
}

/** True if the selector selects `object`. A missing field has the empty string as its value. */
export function matchesFields(requirements: FieldRequirements, object: unknown): boolean {
  return matchesFieldValues(requirements, (path) => fieldValue(object, path));
}

/** True if the selector selects an object whose field values `valueOf` returns. */
export function matchesFieldValues(
  requirements: FieldRequirements,
  valueOf: (path: string) => string,
): boolean {
  return requirements.every(
    ({ path, operator, value }) => (valueOf(path) === value) === (operator === '='),
  );
}

/** Returns the text of the field at a dotted path. Empty if the field is missing or not a scalar. */
export function fieldValue(object: unknown, path: string): string {
  let value = object;
  for (const member of path.split('.')) value = memberOf(value, member);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return Reflect.get(value, name);
}

function print({ path, operator, value }: FieldRequirement): string {
  return `${path}${operator}${value.replaceAll(/[\\,=]/g, String.raw`\$&`)}`;
}

/** Returns the ranges of the terms between unescaped commas. Empty terms are skipped, as in the API server. */
function terms(text: string): { from: number; to: number }[] {
  const ranges: { from: number; to: number }[] = [];
  let from = 0;
  for (let at = 0; at <= text.length; at++) {
    if (text[at] === '\\') at++;
    else if (at === text.length || text[at] === ',') {
      if (at > from) ranges.push({ from, to: at });
      from = at + 1;
    }
  }
  if (from < text.length) ranges.push({ from, to: text.length });
  return ranges;
}

const operatorPattern = /!=|==?/;

function parseTerm(text: string, from: number, to: number): FieldRequirement {
  const term = text.slice(from, to);
  const match = operatorPattern.exec(term);
  if (match === null) throw syntaxError(text, to, 'expected =, == or !=');
  if (match.index === 0) throw syntaxError(text, from, 'expected the path of a field');
  const valueFrom = from + match.index + match[0].length;
  return {
    path: term.slice(0, match.index),
    operator: match[0] === '!=' ? '!=' : '=',
    value: unescaped(text, valueFrom, to),
  };
}

function unescaped(text: string, from: number, to: number): string {
  let value = '';
  for (let at = from; at < to; at++) {
    let character = text[at] ?? '';
    if (character === '=') throw syntaxError(text, at, 'a "=" in a value is written "\\="');
    if (character === '\\') {
      at++;
      character = at < to ? (text[at] ?? '') : '';
      if (!['\\', ',', '='].includes(character)) {
        throw syntaxError(text, at - 1, 'a "\\" must precede "\\", "," or "="');
      }
    }
    value += character;
  }
  return value;
}

function syntaxError(text: string, position: number, reason: string): Error {
  return selectorSyntaxError('INVALID_FIELD_SELECTOR', text, position, reason);
}
