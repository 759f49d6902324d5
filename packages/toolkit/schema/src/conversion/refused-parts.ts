import { isJsonObject, type JsonObject } from '@keelson/structural-schema';
import { refusal } from '../literal/refusal.ts';

/** A keyword of Keelson's own with the reason and the cure of a part that the JSON Schema of a library does not show. */
const refusedPart = 'x-keelson-refused';

/** Notes in a JSON Schema why a CRD cannot express the part. */
export function noteRefusal(schema: JsonObject, reason: string, cure: string): void {
  schema[refusedPart] = { reason, cure };
}

/** Throws `SCHEMA_INVALID` for a part that has such a note. */
export function refuseNotedPart(schema: JsonObject, path: string): void {
  const noted = schema[refusedPart];
  if (!isJsonObject(noted)) return;
  const { reason, cure } = noted;
  if (typeof reason === 'string' && typeof cure === 'string') throw refusal(path, reason, cure);
}
