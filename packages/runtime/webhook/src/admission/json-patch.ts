import { createPatch, type Operation, type Pointer } from 'rfc6902';
import { isRecord, type JsonRecord } from './json-value.ts';

// An `import` of node:util reads each export of it, which loads other modules: 5 ms.
const { isDeepStrictEqual } = process.getBuiltinModule('node:util');

/** An operation of a JSON patch (RFC 6902). */
export type PatchOperation = Operation;

/** Returns the operations for two values, or `undefined` if the library compares them. */
type Diff = (before: unknown, after: unknown, at: Pointer) => PatchOperation[] | undefined;

/**
 * The most pairs of elements of two lists that the library compares. It compares each element of one list with each of
 * the other, to find the shortest patch.
 */
const MAX_COMPARED_PAIRS = 1024;
/** Pairs that the library may compare in a whole patch. Without the limit lists in lists multiply their pairs. */
const MAX_COMPARED_PAIRS_OF_PATCH = 16_384;

/** Returns the operations that change `before` into `after`. Members that are equal have none. */
export function jsonPatch(before: JsonRecord, after: JsonRecord): PatchOperation[] {
  return memberChanges({ before, after, path: '' }, listDiff());
}

/**
 * Compares two objects member by member. The library does the same for every member, with a pointer for each of them;
 * here only the members that differ have one.
 */
function memberChanges({ before, after, path }: Objects, compare: Diff): PatchOperation[] {
  const changes: PatchOperation[] = [];
  for (const key of Object.keys(before)) {
    if (!Object.hasOwn(after, key)) changes.push({ op: 'remove', path: `${path}/${escaped(key)}` });
  }
  for (const [key, value] of Object.entries(after)) {
    const at = `${path}/${escaped(key)}`;
    if (!Object.hasOwn(before, key)) changes.push({ op: 'add', path: at, value });
    else changes.push(...valueChanges(at, [before[key], value], compare));
  }
  return changes;
}

function valueChanges(
  path: string,
  [before, after]: readonly [unknown, unknown],
  compare: Diff,
): PatchOperation[] {
  if (before === after) return [];
  if (isRecord(before) && isRecord(after)) return memberChanges({ before, after, path }, compare);
  return changesAt(path, [before, after], compare);
}

/** Two objects of JSON, and the path of the first one. */
interface Objects {
  readonly before: JsonRecord;
  readonly after: JsonRecord;
  readonly path: string;
}

/** The form of a key in a pointer (RFC 6901). */
function escaped(key: string): string {
  return /[~/]/.test(key) ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key;
}

/** Two lists of JSON, and the path of the first one. */
interface Lists {
  readonly before: readonly unknown[];
  readonly after: readonly unknown[];
  readonly path: string;
}

/** Returns a function that compares equal and long lists. It returns `undefined` for others, which the library compares. */
function listDiff(): Diff {
  let remaining = MAX_COMPARED_PAIRS_OF_PATCH;
  const compare: Diff = (before, after, at) => {
    if (!Array.isArray(before) || !Array.isArray(after)) return undefined;
    if (isDeepStrictEqual(before, after)) return [];
    const pairs = before.length * after.length;
    if (pairs <= Math.min(MAX_COMPARED_PAIRS, remaining)) {
      remaining -= pairs;
      return undefined;
    }
    return byPosition({ before, after, path: at.toString() }, compare);
  };
  return compare;
}

/** Compares the elements between the equal ones at the start and at the end by their position. */
function byPosition({ before, after, path }: Lists, compare: Diff): PatchOperation[] {
  const start = equalAtStart(before, after);
  const end = equalAtEnd(before.slice(start), after.slice(start));
  const [former, changed] = [before.length - end, after.length - end];
  const common = Math.min(former, changed);
  return [
    ...before
      .slice(start, common)
      .flatMap((element, index) =>
        changesAt(`${path}/${start + index}`, [element, after[start + index]], compare),
      ),
    // The last element is removed first, so that the indices of the others stay valid.
    ...indicesFrom(changed, former).map((index): PatchOperation => ({
      op: 'remove',
      path: `${path}/${index}`,
    })),
    ...after.slice(common, changed).map((value: unknown, index): PatchOperation => ({
      op: 'add',
      path: `${path}/${end === 0 ? '-' : common + index}`,
      value,
    })),
  ];
}

function changesAt(
  path: string,
  [before, after]: readonly [unknown, unknown],
  compare: Diff,
): PatchOperation[] {
  return createPatch(before, after, compare).map((operation) => ({
    ...operation,
    path: `${path}${operation.path}`,
  }));
}

function equalAtStart(before: readonly unknown[], after: readonly unknown[]): number {
  const differs = before.findIndex((element, index) => !isEqualAt(after, index, element));
  return differs < 0 ? before.length : differs;
}

function equalAtEnd(before: readonly unknown[], after: readonly unknown[]): number {
  return equalAtStart(before.toReversed(), after.toReversed());
}

function isEqualAt(list: readonly unknown[], index: number, element: unknown): boolean {
  return index < list.length && isDeepStrictEqual(list[index], element);
}

/** The numbers below `end` down to `start`. */
function indicesFrom(start: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - start) }, (_, index) => end - 1 - index);
}
