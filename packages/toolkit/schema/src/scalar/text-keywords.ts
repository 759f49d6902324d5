import { jsonText, type JsonObject } from '@keelson/structural-schema';
import { refusal } from '../literal/refusal.ts';
import type { StructuralSchema } from '../literal/structural-schema.ts';
import { PatternProblem } from '../pattern/re2-text.ts';
import { translatePattern, type TranslatedPattern } from '../pattern/translate-pattern.ts';
import { isUnicodePattern } from '../pattern/pattern-flags.ts';
import { countsUnits, OTHER_PATTERNS, type Reading } from '../pattern/reading.ts';
import type { ScalarKeywords } from './keywords-with-rules.ts';
import { isCheckedByPattern } from './text-formats.ts';

/** The lengths, the pattern and the format of texts, as the library reads them. */
export function textKeywords(schema: JsonObject, path: string, reading: Reading): ScalarKeywords {
  const { format } = schema;
  const sources = sourcesIn(schema);
  const translated = sources.map((source) => patternOf(schema, source, { path, reading }));
  const [{ pattern } = {}, ...others] = translated;
  if (typeof format === 'string') checkFormat(format, { source: sources[0], path, reading });
  const excludesAstral = translated.some((each) => each.excludesAstral);
  const lengths = lengthKeywords(schema, reading, excludesAstral);
  return {
    keywords: {
      // The pattern says what the library accepts; the server may read a format otherwise.
      ...(format === 'password' && { format }),
      ...(pattern !== undefined && { pattern }),
      ...lengths.keywords,
    },
    rules: [
      ...translated.flatMap(({ rules }, index) => matchRules(rules, sources[index])),
      ...others.flatMap(({ pattern: other }, index) =>
        matchRules(
          other === undefined ? [] : [`self.matches(${jsonText(other)})`],
          sources[index + 1],
        ),
      ),
      ...lengths.rules,
    ],
  };
}

/** The expressions that a text has to match; a keyword has one of them. */
function sourcesIn(schema: JsonObject): readonly string[] {
  const others = schema[OTHER_PATTERNS];
  return [schema['pattern'], ...(Array.isArray(others) ? others : [])].filter(
    (source) => typeof source === 'string',
  );
}

/** The pattern of an int-or-string. Throws `SCHEMA_INVALID` for one that needs a CEL rule, which also reads integers. */
export function patternKeyword(
  schema: JsonObject,
  path: string,
  reading: Reading,
): Pick<StructuralSchema, 'pattern'> {
  const [source, ...others] = sourcesIn(schema);
  if (source === undefined) return {};
  const { pattern, rules } = patternOf(schema, source, { path, reading });
  if (rules.length === 0 && others.length === 0 && pattern !== undefined) return { pattern };
  const cure = "use one pattern without look-ahead, or a CEL rule such as 'type(self) == int || …'";
  throw refusal(`${path}.pattern`, 'look-ahead or several patterns of an int-or-string', cure);
}

function matchRules(rules: readonly string[], source: string | undefined): JsonObject[] {
  return rules.map((rule) => ({ rule, message: `should match '${source}'` }));
}

function patternOf(
  schema: JsonObject,
  source: string,
  { path, reading }: Place,
): TranslatedPattern {
  try {
    return translatePattern(source, isUnicodePattern(schema, source, reading));
  } catch (error) {
    if (!(error instanceof PatternProblem)) throw error;
    throw refusal(`${path}.pattern`, error.message, error.cure);
  }
}

interface Place {
  readonly path: string;
  readonly reading: Reading;
}

interface FormatPlace extends Place {
  readonly source: string | undefined;
}

/** A format without a pattern is checked by code of the library, which accepts other texts than the server. */
function checkFormat(format: string, { source, path, reading }: FormatPlace): void {
  if (format === 'password') return;
  if (source !== undefined && isCheckedByPattern(format, reading.vendor)) return;
  const reason = `the format ${format}, which JavaScript and the API server read differently`;
  const part = path.replace(/^defineKind\./, '');
  const cure = `use a pattern, or a text without format and keywords: { '${part}': { format: … } }, which the server checks`;
  throw refusal(`${path}.format`, reason, cure);
}

/** Go counts characters. JavaScript counts two for each beyond U+FFFF. */
function lengthKeywords(
  schema: JsonObject,
  reading: Reading,
  excludesAstral: boolean,
): ScalarKeywords {
  const { minLength, maxLength } = schema;
  const [least, most] = [minLength, maxLength].map((length) =>
    typeof length === 'number' ? length : undefined,
  );
  const isCounted = countsUnits(schema, reading) && !excludesAstral;
  const units = `size(self) + size(self.findAll(${ASTRAL}))`;
  const rules: JsonObject[] = [];
  if (isCounted && least !== undefined && least > 1) {
    rules.push({
      rule: `${units} >= ${least}`,
      message: `should be at least ${least} UTF-16 code units long`,
    });
  }
  if (isCounted && most !== undefined && most > 0) {
    rules.push({
      rule: `${units} <= ${most}`,
      message: `may not be longer than ${most} UTF-16 code units`,
    });
  }
  // Two code units may be one character.
  const fewest = isCounted && least !== undefined ? Math.ceil(least / 2) : least;
  const keywords: StructuralSchema = {
    ...(fewest !== undefined && { minLength: fewest }),
    ...(most !== undefined && { maxLength: most }),
  };
  return { keywords, rules };
}

/** The characters beyond U+FFFF, as a literal of CEL. */
const ASTRAL = String.raw`'[\\x{10000}-\\x{10FFFF}]'`;
