import { expect, test } from '@jest/globals';

const rebuilt: string[] = [];

async function rebuild(item: string): Promise<void> {
  rebuilt.push(item);
  await Promise.resolve();
  if (item === 'flaky' && rebuilt.filter((one) => one === item).length < 3)
    throw new Error('not yet');
}

async function untilRebuilt(items: number): Promise<void> {
  while (rebuilt.length < items) await new Promise((resolve) => setImmediate(resolve));
}

test('the code of the README does what it says', async () => {
  await run();
  expect(rebuilt.toSorted()).toEqual(['flaky', 'flaky', 'flaky', 'later', 'urgent']);
  expect(rebuilt[0]).toBe('urgent');
});

// #region readme
import { WorkQueue } from './index.ts';

async function run(): Promise<void> {
  const queue = new WorkQueue<string>();

  async function worker(): Promise<void> {
    for (let work = await queue.get(); work !== undefined; work = await queue.get()) {
      try {
        await rebuild(work.item);
        queue.forget(work.item);
      } catch {
        queue.add(work.item, { rateLimited: true, priority: work.priority });
      } finally {
        queue.done(work.item);
      }
    }
  }

  const workers = [worker(), worker()];
  queue.add('later', { after: 30_000 });
  queue.add('flaky');
  queue.add('urgent', { priority: 10 });
  queue.add('later'); // still one entry: the earlier time wins

  await untilRebuilt(5);
  await queue.shutDown({ drain: true }); // resolves when no worker holds an item
  await Promise.all(workers);
}
// #endregion
