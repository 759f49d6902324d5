import { isJsonObject, jsonEquals, type JsonValue } from './json-value.ts';

/**
 * Orders a merged list: the items that the patch names follow the patch, and those that only the server
 * has are put among them where the server's order wants them, as far as that is possible.
 * `key` is the merge key of a list of objects.
 */
export function orderItems(
  items: readonly JsonValue[],
  patchOrder: readonly JsonValue[],
  serverOrder: readonly JsonValue[],
  key?: string,
): JsonValue[] {
  const idOf = (item: JsonValue): JsonValue =>
    key === undefined || !isJsonObject(item) ? item : (item[key] ?? null);
  const place = (order: readonly JsonValue[], id: JsonValue): number =>
    order.findIndex((each) => jsonEquals(idOf(each), id));
  const inPatch = (item: JsonValue): boolean => place(patchOrder, idOf(item)) !== -1;
  const named = items
    .filter((item) => inPatch(item))
    .toSorted((left, right) => place(patchOrder, idOf(left)) - place(patchOrder, idOf(right)));
  const others = items.filter((item) => !inPatch(item));
  let from = 0;
  for (const item of others) {
    const server = place(serverOrder, idOf(item));
    const before = named.findIndex(
      (each, index) => index >= from && place(serverOrder, idOf(each)) > server,
    );
    const index = before === -1 ? named.length : before;
    named.splice(index, 0, item);
    from = index + 1;
  }
  return named;
}
