import { isJsonObject, type JsonValue } from '../json/json-value.ts';

/** Prints a value as Go's `%v` does: members and items without commas, members in the order of their names. */
export function goText(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isJsonObject(value)) return String(value);
  const names = Object.keys(value).toSorted();
  return `map[${names.map((name) => `${name}:${goText(value[name] ?? null)}`).join(' ')}]`;
}
