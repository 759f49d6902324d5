import type { JsonObject, JsonValue } from '@keelson/structural-schema';
import { refusal } from '../literal/refusal.ts';

/**
 * A keyword of Keelson's own with the regular expressions of a text whose flags a pattern cannot express. The JSON
 * Schema of a library has only the source of the expression.
 */
const flaggedPatterns = 'x-keelson-flagged-patterns';

/** `d` and `g` do not change a test of one text. RE2 reads code points, as the flag `u` demands. */
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

/** Notes in a JSON Schema which of the regular expressions lose a flag. */
export function noteFlags(schema: JsonObject, expressions: readonly unknown[]): void {
  const lost = expressions.filter(
    (each): each is RegExp => each instanceof RegExp && lostFlag(each.flags) !== undefined,
  );
  if (lost.length > 0) schema[flaggedPatterns] = lost.map(String);
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
