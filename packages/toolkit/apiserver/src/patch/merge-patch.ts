import {
  cloneJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  setOwn,
} from '@keelson/structural-schema';

/**
 * Applies a merge patch (RFC 7386): objects merge by key, null removes, any other value replaces. Does not change the
 * target.
 */
export function mergePatch(target: JsonValue, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) return cloneJson(patch);
  const merged: JsonObject = isJsonObject(target) ? cloneJson(target) : {};
  for (const key of Object.keys(patch)) {
    const value = patch[key] as JsonValue;
    if (value === null) {
      delete merged[key];
    } else {
      const previous = Object.hasOwn(merged, key) ? (merged[key] as JsonValue) : null;
      setOwn(merged, key, mergePatch(previous, value));
    }
  }
  return merged;
}
