import { isDeepStrictEqual } from 'node:util';
import { createPatch, type Operation, type Pointer } from 'rfc6902';

/** An operation of a JSON patch (RFC 6902). */
export type PatchOperation = Operation;

/** Returns the operations for two values, or `undefined` if the library compares them. */
type Diff = (before: unknown, after: unknown, at: Pointer) => PatchOperation[] | undefined;

/**
 * Pairs of elements of two lists that the library may compare. It compares each element of one list with each of the
 * other, to find the shortest patch.
 */
const MAX_COMPARED_PAIRS = 1024;
/** Pairs that the library may compare in a whole patch. Without the limit lists in lists multiply their pairs. */
const MAX_COMPARED_PAIRS_OF_PATCH = 16_384;

/** Returns the operations that change `before` into `after`. Members that are equal have none. */
export function jsonPatch(before: object, after: object): PatchOperation[] {
  return createPatch(before, after, listDiff());
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
    // From the last one on, so that no removal moves an element that a later one names.
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
