import { createPatch, type Operation, type Pointer } from 'rfc6902';

/** An operation of a JSON patch (RFC 6902). */
export type PatchOperation = Operation;

/**
 * Pairs of elements of two lists that the library may compare. It compares each element of one list with each of the
 * other, to find the shortest patch.
 */
const MAX_COMPARED_PAIRS = 1024;

/** Returns the operations that change `before` into `after`. Members that are equal have none. */
export function jsonPatch(before: object, after: object): PatchOperation[] {
  return createPatch(before, after, longLists);
}

/** Compares long lists by position. Returns `undefined` for other values, which the library compares. */
function longLists(before: unknown, after: unknown, at: Pointer): PatchOperation[] | undefined {
  if (!Array.isArray(before) || !Array.isArray(after)) return undefined;
  if (before.length * after.length <= MAX_COMPARED_PAIRS) return undefined;
  const path = at.toString();
  return [
    ...changedElements(before, after, path),
    // From the last one on, so that no removal moves an element that a later one names.
    ...indicesFrom(after.length, before.length).map((index): PatchOperation => ({
      op: 'remove',
      path: `${path}/${index}`,
    })),
    ...after
      .slice(before.length)
      .map((value: unknown): PatchOperation => ({ op: 'add', path: `${path}/-`, value })),
  ];
}

function changedElements(
  before: readonly unknown[],
  after: readonly unknown[],
  path: string,
): PatchOperation[] {
  return before.slice(0, after.length).flatMap((element, index) =>
    createPatch(element, after[index], longLists).map((operation) => ({
      ...operation,
      path: `${path}/${index}${operation.path}`,
    })),
  );
}

/** The numbers below `end` down to `start`. */
function indicesFrom(start: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - start) }, (_, index) => end - 1 - index);
}
