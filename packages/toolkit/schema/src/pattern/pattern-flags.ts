import type { JsonObject, JsonValue } from '@keelson/structural-schema';
import { refusal } from '../literal/refusal.ts';
import type { Reading } from './reading.ts';

/**
 * A keyword of Keelson's own with the regular expressions of a text whose flags a pattern cannot express. The JSON
 * Schema of a library has only the source of the expression.
 */
const flaggedPatterns = 'x-keelson-flagged-patterns';

/** `d` and `g` do not change a test of one text. The translation of a pattern regards `u`. */
const expressible: ReadonlySet<string> = new Set(['d', 'g', 'u']);

const cures: Readonly<Record<string, string>> = {
  i: "write both cases, such as [Aa], or a CEL rule such as 'self.lowerAscii().matches(…)'",
  m: String.raw`write (^|\n) in place of ^, and (\n|$) in place of $`,
  s: String.raw`write [\s\S] in place of the dot`,
  v: 'use the flag u, and write sets without operators',
  y: 'begin the expression with ^',
};

/** The first flag that a pattern of a CRD cannot express. */
function lostFlag(flags: string): string | undefined {
  return Array.from(flags).find((flag) => !expressible.has(flag));
}

/** A keyword of Keelson's own with the sources of the regular expressions that have the flag `u`. */
const unicodePatterns = 'x-keelson-unicode-patterns';

/** Notes in a JSON Schema which of the regular expressions lose a flag, and which have the flag `u`. */
export function noteFlags(schema: JsonObject, expressions: readonly unknown[]): void {
  const found = expressions.filter((each) => each instanceof RegExp);
  const lost = found.filter(({ flags }) => lostFlag(flags) !== undefined);
  if (lost.length > 0) schema[flaggedPatterns] = lost.map(String);
  const unicode = found.filter(({ flags }) => flags.includes('u'));
  if (unicode.length > 0) schema[unicodePatterns] = unicode.map(({ source }) => source);
}

/** True if a pattern of a schema has the flag `u`. */
export function isUnicodePattern(schema: JsonObject, source: string, reading: Reading): boolean {
  const noted = schema[unicodePatterns];
  if (Array.isArray(noted) && noted.includes(source)) return true;
  return reading.isUnicode(source);
}

/** Throws `SCHEMA_INVALID` for a text whose JSON Schema has noted flags. */
export function refuseNotedFlags(schema: JsonObject, path: string): void {
  const noted: JsonValue | undefined = schema[flaggedPatterns];
  const [expression] = Array.isArray(noted) ? noted : [];
  if (typeof expression !== 'string') return;
  const end = expression.lastIndexOf('/');
  refuseFlags({ source: expression.slice(1, end), flags: expression.slice(end + 1) }, path);
}

/** Throws `SCHEMA_INVALID` for a regular expression with a flag that a pattern of a CRD cannot express. */
export function refuseFlags(
  { source, flags }: Pick<RegExp, 'source' | 'flags'>,
  path: string,
): void {
  const flag = lostFlag(flags);
  if (flag === undefined) return;
  const reason = `a regular expression with the flag ${flag}: /${source}/${flags}`;
  throw refusal(`${path}.pattern`, reason, cures[flag] ?? 'remove the flag');
}
