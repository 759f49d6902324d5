import { describe, expect, test } from '@jest/globals';
import { listing, type Harness } from '../testing/harness.test-support.ts';

/** The limits of the list requests, without repeats. */
function limitsOf({ source }: Harness): (number | undefined)[] {
  const limits = source.requests.flatMap((one) => (one.verb === 'list' ? [one.limit] : []));
  source.requests.length = 0;
  return [...new Set(limits)];
}

describe('the page size of a watch', () => {
  test('is the largest of its handles, at the start of each list', async () => {
    await using harness = listing();
    for (const name of ['a', 'b']) harness.source.set(name);
    // The server pages, so every list has a limit.
    harness.source.pageSize = 1;
    const handle = await harness.synced({ pageSize: 100 });
    expect(limitsOf(harness)).toEqual([100]);
    const larger = harness.acquire({ pageSize: 1_000 });
    harness.acquire({});
    await handle.restart();
    expect(limitsOf(harness)).toEqual([1_000]);
    larger.release();
    await handle.restart();
    expect(limitsOf(harness)).toEqual([100]);
    handle.release();
    await harness.acquire({}).restart();
    expect(limitsOf(harness)).toEqual([500]);
  });

  test('includes the handles of the views that the watch serves', async () => {
    await using harness = listing();
    harness.source.pageSize = 1;
    for (const name of ['a', 'b']) harness.source.set(name);
    const handle = await harness.synced({ pageSize: 10 });
    harness.acquire({ namespace: 'default', pageSize: 20 });
    limitsOf(harness);
    await handle.restart();
    expect(limitsOf(harness)).toEqual([20]);
  });
});
