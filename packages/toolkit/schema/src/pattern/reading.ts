import type { JsonObject } from '@keelson/structural-schema';

/** How a library reads what its JSON Schema does not say. */
export interface Reading {
  /** The name of the library; undefined for JSON Schema itself. */
  readonly vendor: string | undefined;
  /** True if lengths are those of JavaScript, in UTF-16 code units. */
  readonly countsUnits: boolean;
  /** True for the source of a pattern with the flag `u`. Schemas may note more of them. */
  readonly isUnicode: (source: string) => boolean;
}

/** A keyword of Keelson's own for a text whose lengths are those of Go: characters, not code units. */
const characters = 'x-keelson-counts-characters';

/** A keyword of Keelson's own for the patterns that a text has to match beside `pattern`. */
export const OTHER_PATTERNS = 'x-keelson-other-patterns';

/** Notes in a JSON Schema that the library counts the characters of the text, as zod does since version 4.6. */
export function noteCharacters(schema: JsonObject): void {
  schema[characters] = true;
}

/** True if the lengths of a text are those of JavaScript. */
export function countsUnits(schema: JsonObject, reading: Reading): boolean {
  return reading.countsUnits && schema[characters] !== true;
}

/** JSON Schema counts characters, and its patterns are Unicode. */
export const jsonSchemaReading: Reading = {
  vendor: undefined,
  countsUnits: false,
  isUnicode: () => true,
};
