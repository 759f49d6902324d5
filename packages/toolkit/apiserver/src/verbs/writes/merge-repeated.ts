import { isJsonObject, type JsonObject, type JsonValue, setOwn } from '@keelson/structural-schema';
import { memberNames } from '../../json/duplicate-fields.ts';
import { parseJson } from '../../json/parse-json.ts';
import type { SchemaType } from '../../schema/schema-type.ts';

/** Separates the name of a repeated member from its position while the text is parsed. */
const separator = '\u0000';

/**
 * Parses a JSON object with repeated members as Go decodes it into a struct: a repeated object is merged into the
 * earlier one, another value replaces it.
 */
export function mergeRepeated(type: SchemaType, text: string): JsonObject {
  return folded(type, parseJson(withDistinctNames(text))) as JsonObject;
}

function withDistinctNames(text: string): string {
  const parts: string[] = [];
  let at = 0;
  for (const { name, start, end, isRepeated } of memberNames(text)) {
    if (!isRepeated) continue;
    parts.push(text.slice(at, start), JSON.stringify(`${name}${separator}${start}`));
    at = end;
  }
  return [...parts, text.slice(at)].join('');
}

function folded(type: SchemaType | undefined, value: JsonValue): JsonValue {
  if (Array.isArray(value)) {
    const item = type?.kind === 'list' ? type.item : undefined;
    return value.map((each) => folded(item, each));
  }
  if (!isJsonObject(value)) return value;
  const result: JsonObject = {};
  for (const key of Object.keys(value)) {
    const [name = ''] = key.split(separator, 1);
    const member = memberType(type, name);
    assign(member, result, name, folded(member, value[key] as JsonValue));
  }
  return result;
}

function memberType(type: SchemaType | undefined, name: string): SchemaType | undefined {
  if (type?.kind === 'map') return type.value;
  return type?.kind === 'struct' ? type.fields.get(name)?.type : undefined;
}

function assign(
  type: SchemaType | undefined,
  target: JsonObject,
  name: string,
  value: JsonValue,
): void {
  const present = Object.hasOwn(target, name) ? target[name] : undefined;
  const merges = type?.kind === 'struct' || type?.kind === 'map';
  if (!merges || !isJsonObject(present) || !isJsonObject(value)) {
    setOwn(target, name, value);
    return;
  }
  for (const [key, each] of Object.entries(value)) {
    assign(memberType(type, key), present, key, each);
  }
}
