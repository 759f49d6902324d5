import type { JsonValue } from '@keelson/structural-schema';

/** Returns the items of a list; none for another value. */
export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
