import { ItemIds } from './item-ids.ts';
import type { JsonValue } from '@keelson/structural-schema';

/**
 * Orders a merged list. Items that the patch names keep the order of the patch. Other items are inserted between them
 * by the server's order, as far as possible. `key` is the merge key of a list of objects.
 */
export function orderItems(
  items: readonly JsonValue[],
  patchOrder: readonly JsonValue[],
  serverOrder: readonly JsonValue[],
  key?: string,
): JsonValue[] {
  const ids = new ItemIds(key);
  const inPatch = ids.places(patchOrder);
  const onServer = ids.places(serverOrder);
  const placed = items.map((item) => {
    const id = ids.of(item);
    return { item, patch: inPatch.get(id), server: onServer.get(id) ?? -1 };
  });
  const named = placed
    .filter(({ patch }) => patch !== undefined)
    .toSorted((left, right) => (left.patch ?? 0) - (right.patch ?? 0));
  const ordered: JsonValue[] = [];
  let at = 0;
  for (const other of placed.filter(({ patch }) => patch === undefined)) {
    for (; at < named.length && (named[at]?.server ?? -1) <= other.server; at++) {
      ordered.push(named[at]?.item ?? null);
    }
    ordered.push(other.item);
  }
  return [...ordered, ...named.slice(at).map(({ item }) => item)];
}
