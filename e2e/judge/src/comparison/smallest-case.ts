import { cloneJson, isJsonObject, type JsonValue } from '@keelson/structural-schema';

/** Most tries for one case; each asks both sides. */
const MAX_TRIES = 2000;

/**
 * Removes members and items from a case as long as `stillFails` holds, and returns the smallest case. Cases are JSON, so
 * every suite shares this function, also for cases that were written by hand.
 */
export async function smallestCase<T>(
  found: T,
  stillFails: (smaller: T) => Promise<boolean>,
): Promise<T> {
  let smallest = found as JsonValue;
  let tries = 0;
  let isSmaller = true;
  while (isSmaller && tries < MAX_TRIES) {
    isSmaller = false;
    for (const path of pathsOf(smallest)) {
      for (const smaller of reductions(smallest, path)) {
        if (tries++ >= MAX_TRIES) break;
        // A part of a case that a suite needs cannot be removed.
        if (!(await stillFails(smaller as T).catch(() => false))) continue;
        smallest = smaller;
        isSmaller = true;
        break;
      }
      if (isSmaller) break;
    }
  }
  return smallest as T;
}

type Path = readonly string[];

/** Returns the paths of all parts, larger parts first. */
function pathsOf(value: JsonValue, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  const names = Object.keys(value);
  const own = names.map((name) => [...path, name]);
  return [...own, ...own.flatMap((each) => pathsOf(partAt(value, each.at(-1) ?? ''), each))];
}

function partAt(value: JsonValue, name: string): JsonValue {
  return (value as Record<string, JsonValue>)[name] as JsonValue;
}

/** Returns the value without the part, and with the content of the part in its place. */
function reductions(value: JsonValue, path: Path): JsonValue[] {
  const name = path.at(-1) ?? '';
  const without = cloneJson(value);
  const holder = path.slice(0, -1).reduce(partAt, without);
  const part = partAt(holder, name);
  if (Array.isArray(holder)) holder.splice(Number(name), 1);
  else if (isJsonObject(holder)) delete holder[name];
  if (typeof part !== 'string' || part.length < 2) return [without];
  const shorter = cloneJson(value);
  const place = path.slice(0, -1).reduce(partAt, shorter) as Record<string, JsonValue>;
  place[name] = part.slice(0, Math.floor(part.length / 2));
  return [without, shorter];
}
