import { isJsonObject, jsonEquals, type JsonValue, ownValue } from '@keelson/structural-schema';
import { refusal } from '../literal/refusal.ts';

/** Bounds the wait where a test has replaced the clock by one that stands still. */
const MOST_READINGS = 100_000;

/** Waits up to a millisecond until the time has changed, so that a default from the clock changes too. */
export function waitForClock(): void {
  const start = Date.now();
  for (let count = 0; count < MOST_READINGS && Date.now() === start; count++);
}

/**
 * Throws `SCHEMA_INVALID` for a default that differs between two conversions of a schema: a function made it, and the CRD
 * would give each object the value of its first call.
 */
export function refuseChangingDefaults(one: JsonValue, other: JsonValue, path: string): void {
  if (jsonEquals(one, other)) return;
  if (Array.isArray(one) && Array.isArray(other)) {
    for (const [index, part] of one.entries()) {
      refuseChangingDefaults(part, other[index] ?? null, path);
    }
    return;
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return;
  if (!jsonEquals(one['default'], other['default'])) {
    const cure = 'remove the default, and set the value in the client or in a mutating webhook';
    throw refusal(`${path}.default`, 'a default that a function makes anew for each value', cure);
  }
  for (const [name, part] of Object.entries(one)) {
    refuseChangingDefaults(part, ownValue(other, name) ?? null, pathOf(path, name));
  }
}

/** Lists of schemas and definitions have the path of their value. */
function pathOf(path: string, name: string): string {
  return /^(?:allOf|anyOf|oneOf|\$defs)$/.test(name) ? path : `${path}.${name}`;
}
