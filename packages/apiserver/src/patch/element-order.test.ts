import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { orderItems } from './element-order.ts';

/** The rule as it is written down: each item that only the server has goes before the next named one that the server has later. */
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
  test('orders any lists as searching for each place does', () => {
    const list = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'), { maxLength: 8 });
    fc.assert(
      fc.property(list, list, list, (items, patch, server) => {
        expect(orderItems(items, patch, server)).toEqual(bySearching(items, patch, server));
      }),
    );
  });

  test('tells a number from the same digits as a text', () => {
    const [one, two] = [{ k: 1 }, { k: '1' }];
    expect(orderItems([one, two], ['1', 1], [one, two], 'k')).toEqual([two, one]);
  });
});
