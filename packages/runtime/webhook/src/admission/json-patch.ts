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
  if (before.length !== after.length) return [{ op: 'replace', path, value: after }];
  return before.flatMap((element: unknown, index) =>
    createPatch(element, after[index], longLists).map((operation) => ({
      ...operation,
      path: `${path}/${index}${operation.path}`,
    })),
  );
}
