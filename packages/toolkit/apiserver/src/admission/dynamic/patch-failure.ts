import type { StatusError } from '@keelson/apimachinery';
import { isJsonObject, type JsonValue, ownValue } from '@keelson/structural-schema';
import { pointerTokens } from '../../patch/json-patch.ts';

/** The message of Go's patch library for an operation that does not apply. */
export function patchFailure(object: JsonValue, { op, path, from }: StatusError['facts']): string {
  const missing = missingMember({ op, path, from });
  if (missing !== undefined) return missing;
  const at = String(path);
  const keys = pointerTokens(at);
  const key = keys.at(-1) ?? '';
  const parent = keys.length === 0 ? undefined : valueAt(object, keys.slice(0, -1));
  const isOrphan = parent === undefined;
  switch (op) {
    case 'add':
      if (isOrphan)
        return `add operation does not apply: doc is missing path: "${at}": missing value`;
      return `error in add for path: '${at}': ${indexProblem(parent, key)}`;
    case 'remove':
      if (isOrphan)
        return `remove operation does not apply: doc is missing path: "${at}": missing value`;
      return `error in remove for path: '${at}': Unable to remove nonexistent key: ${key}: missing value`;
    case 'replace':
      return `replace operation does not apply: doc is missing ${isOrphan ? 'path' : 'key'}: ${at}: missing value`;
    case 'test':
      return `testing value ${at} failed: test failed`;
    case 'move':
    case 'copy':
      return `${op} operation does not apply: doc is missing ${isFound(object, from) ? 'destination' : 'from'} path: ${at}: missing value`;
    default:
      return `Unexpected kind: ${typeof op === 'string' ? op : 'unknown'}`;
  }
}

/** The message for a known operation without its `path` or `from`; `undefined` if it has both. */
function missingMember({ op, path, from }: StatusError['facts']): string | undefined {
  switch (op) {
    case 'add':
    case 'remove':
      return typeof path === 'string'
        ? undefined
        : `${op} operation failed to decode path: missing value`;
    case 'replace':
    case 'test':
      return typeof path === 'string'
        ? undefined
        : `${op} operation failed to decode path: operation missing path field: missing value`;
    case 'move':
    case 'copy':
      return typeof from === 'string'
        ? undefined
        : `${op} operation failed to decode from: operation, missing from field: missing value`;
    default:
      return undefined;
  }
}

function indexProblem(parent: JsonValue, key: string): string {
  if (Array.isArray(parent) && !/^[-+]?\d+$/.test(key)) {
    return `value was not a proper array index: '${key}': strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`;
  }
  return `Unable to access invalid index: ${key}: invalid index referenced`;
}

function isFound(object: JsonValue, pointer: unknown): boolean {
  return valueAt(object, pointerTokens(String(pointer))) !== undefined;
}

function valueAt(object: JsonValue | undefined, keys: readonly string[]): JsonValue | undefined {
  return keys.reduce<JsonValue | undefined>((value, key) => {
    if (Array.isArray(value)) return value.at(Number(key));
    return isJsonObject(value) ? ownValue(value, key) : undefined;
  }, object);
}
