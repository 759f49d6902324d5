import { describe, expect, test } from '@jest/globals';
import type { FrameBatch } from '@keelson/wire';
import { Harness } from '../testing/harness.test-support.ts';
import type { WatchRequest } from '../contract/lister-watcher.ts';
import { eventually, silence } from '../testing/scripted-source.test-support.ts';

/** A watch whose connection ends only when the test opens the gate, even after it was aborted. */
class SlowToEnd {
  isOpen = false;
  readonly #gate = Promise.withResolvers<void>();

  readonly watch = async function* (
    this: SlowToEnd,
    request: WatchRequest,
  ): AsyncGenerator<FrameBatch> {
    this.isOpen = true;
    try {
      yield* silence(request);
    } finally {
      await this.#gate.promise;
      this.isOpen = false;
    }
  }.bind(this);

  end(): void {
    this.#gate.resolve();
  }
}

/** Runs all pending work that does not wait for the gate. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe('close', () => {
  test('settles after the last request of a held watch has ended', async () => {
    const harness = new Harness();
    const slow = new SlowToEnd();
    harness.source.watchScripts.push(slow.watch);
    harness.acquire();
    await eventually(() => slow.isOpen);
    const order: string[] = [];
    const closing = harness.cache.close().then(() => order.push(`closed, open: ${slow.isOpen}`));
    await turns();
    order.push('ending');
    slow.end();
    await closing;
    expect(order).toEqual(['ending', 'closed, open: false']);
  });

  test('waits for a watch that was released before, and so does a second call', async () => {
    const harness = new Harness({ linger: 0 });
    const slow = new SlowToEnd();
    harness.source.watchScripts.push(slow.watch);
    const handle = harness.acquire();
    await eventually(() => slow.isOpen);
    handle.release();
    expect(harness.cache.inventory()).toEqual([]);
    const order: string[] = [];
    const closing = [1, 2].map((call) => harness.cache.close().then(() => order.push(`${call}`)));
    const disposing = harness.cache[Symbol.asyncDispose]().then(() => order.push('disposed'));
    await turns();
    order.push('ending');
    slow.end();
    await Promise.all([...closing, disposing]);
    expect(order).toEqual(['ending', '1', '2', 'disposed']);
  });
});
