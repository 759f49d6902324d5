import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { orderItems } from './element-order.ts';

/**
 * Reference implementation: an item that only the server has is placed before the next patch item that follows it in
 * the server's order.
 */
function bySearching(
  items: readonly string[],
  patch: readonly string[],
  server: readonly string[],
): string[] {
  const named = items
    .filter((item) => patch.includes(item))
    .toSorted((left, right) => patch.indexOf(left) - patch.indexOf(right));
  let from = 0;
  for (const item of items.filter((each) => !patch.includes(each))) {
    const place = server.indexOf(item);
    const before = named.findIndex((each, at) => at >= from && server.indexOf(each) > place);
    const index = before === -1 ? named.length : before;
    named.splice(index, 0, item);
    from = index + 1;
  }
  return named;
}

describe('orderItems', () => {
  test('orders lists as the reference implementation does', () => {
    const list = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'), { maxLength: 8 });
    fc.assert(
      fc.property(list, list, list, (items, patch, server) => {
        expect(orderItems(items, patch, server)).toEqual(bySearching(items, patch, server));
      }),
    );
  });

  test('distinguishes a number from a string of the same digits', () => {
    const [one, two] = [{ k: 1 }, { k: '1' }];
    expect(orderItems([one, two], ['1', 1], [one, two], 'k')).toEqual([two, one]);
  });
});
