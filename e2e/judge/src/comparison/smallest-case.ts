import { cloneJson, isJsonObject, type JsonValue } from '@keelson/structural-schema';

/** Most tries for one case; each asks both sides. */
const MAX_TRIES = 2000;

/**
 * Makes a case smaller as long as `stillFails` holds, and returns the smallest case. `smaller`: returns the cases that are
 * one step smaller. Default every case with a part less: cases are JSON, so most suites share it, also for cases that
 * were written by hand.
 */
export async function smallestCase<T>(
  found: T,
  stillFails: (smaller: T) => Promise<boolean>,
  smaller: (of: T) => Iterable<T> = withoutParts,
): Promise<T> {
  let smallest = found;
  let tries = 0;
  let isSmaller = true;
  while (isSmaller && tries < MAX_TRIES) {
    isSmaller = false;
    for (const candidate of smaller(smallest)) {
      if (tries++ >= MAX_TRIES) break;
      // A part of a case that a suite needs cannot be removed.
      if (!(await stillFails(candidate).catch(() => false))) continue;
      smallest = candidate;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

/** Returns the cases without one of their members or items, and those with a shorter text. */
function* withoutParts<T>(of: T): Generator<T> {
  const json = of as JsonValue;
  for (const path of pathsOf(json)) {
    for (const reduced of reductions(json, path)) yield reduced as T;
  }
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
