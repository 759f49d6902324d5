import { isJsonObject, type JsonValue } from '@keelson/structural-schema';
import { refusal } from '../literal/refusal.ts';
import { refuseFlags } from '../pattern/pattern-flags.ts';

/** The members of a node of ArkType whose values are data or texts for people. */
const data: ReadonlySet<string> = new Set(['default', 'meta', 'unit']);

const steps: Readonly<Record<string, string>> = {
  sequence: '.items',
  index: '.additionalProperties',
};

/**
 * Throws `SCHEMA_INVALID` for a transformation of ArkType, and for a regular expression with a flag that a pattern cannot
 * express. ArkType has both in its own description of a type, and drops them from the JSON Schema of the output.
 */
export function refuseArktypeParts(node: JsonValue, path: string): void {
  if (Array.isArray(node)) {
    for (const part of node) refuseArktypeParts(part, path);
    return;
  }
  if (!isJsonObject(node)) return;
  const { key, pattern } = node;
  const at = typeof key === 'string' ? `${path}.properties.${key}` : path;
  if (node['morphs'] !== undefined) {
    throw refusal(at, 'a transformation', 'transform the value after it was read');
  }
  for (const each of Array.isArray(pattern) ? pattern : []) refusePattern(each, at);
  for (const [name, part] of Object.entries(node)) {
    if (!data.has(name)) refuseArktypeParts(part, `${at}${steps[name] ?? ''}`);
  }
}

/** Returns the sources of the regular expressions of ArkType that always have the flag `u`. */
export function arktypeUnicodePatterns(node: JsonValue): ReadonlySet<string> {
  const found = patternsIn(node);
  const others = new Set(found.filter(({ isUnicode }) => !isUnicode).map(({ source }) => source));
  const unicode = found.filter(({ isUnicode, source }) => isUnicode && !others.has(source));
  return new Set(unicode.map(({ source }) => source));
}

function patternsIn(node: JsonValue): { readonly source: string; readonly isUnicode: boolean }[] {
  if (Array.isArray(node)) return node.flatMap(patternsIn);
  if (!isJsonObject(node)) return [];
  const { pattern } = node;
  const own = (Array.isArray(pattern) ? pattern : []).map((each) => {
    const { rule, flags } = isJsonObject(each) ? each : { rule: each, flags: '' };
    const source = typeof rule === 'string' ? rule : '';
    return { source, isUnicode: typeof flags === 'string' && flags.includes('u') };
  });
  const parts = Object.entries(node).filter(([name]) => !data.has(name));
  return [...own, ...parts.flatMap(([, part]) => patternsIn(part))];
}

function refusePattern(pattern: JsonValue, path: string): void {
  if (!isJsonObject(pattern)) return;
  const { rule, flags } = pattern;
  if (typeof rule === 'string' && typeof flags === 'string') {
    refuseFlags({ source: rule, flags }, path);
  }
}
