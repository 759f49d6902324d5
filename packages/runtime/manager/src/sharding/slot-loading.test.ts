import { describe, expect, test } from '@jest/globals';
import { SlotLoading } from './slot-loading.ts';

/** A loading whose loads end when the test ends them. */
class Bench {
  version = 0;
  now = 0;
  readonly loads: (() => void)[] = [];
  readonly started: [slots: readonly number[], waited: readonly number[]][] = [];
  readonly loading: SlotLoading = new SlotLoading({
    version: () => this.version,
    load: () => new Promise((resolve) => this.loads.push(resolve)),
    loaded: (...started) => void this.started.push(started),
    now: () => this.now,
  });

  async endLoad(): Promise<void> {
    this.loads.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('the loading of slots', () => {
  test('starts slots at once whose objects are cached', () => {
    const bench = new Bench();
    bench.loading.add([1, 2], [30]);
    expect(bench.started).toEqual([[[1, 2], [30]]]);
    expect(bench.loads).toHaveLength(0);
  });

  test('holds slots back until a load has ended that began with them', async () => {
    const bench = new Bench();
    bench.version = 1;
    void bench.loading.follow();
    bench.version = 2;
    bench.loading.add([3], [10]);
    expect([bench.loading.has(3), bench.loading.size]).toEqual([true, 1]);
    await bench.endLoad();
    expect(bench.started).toEqual([]);
    bench.now = 500;
    await bench.endLoad();
    expect(bench.started).toEqual([[[3], [510]]]);
    expect(bench.loading.has(3)).toBe(false);
  });

  test('loads without a change of the slots that is reported before', async () => {
    const bench = new Bench();
    bench.version = 1;
    bench.loading.add([4], []);
    expect(bench.loads).toHaveLength(1);
    await bench.endLoad();
    expect(bench.started).toEqual([[[4], []]]);
  });

  test('does not start a slot that has been given up', async () => {
    const bench = new Bench();
    bench.version = 1;
    bench.loading.add([5, 6], []);
    bench.loading.remove([5]);
    await bench.endLoad();
    expect(bench.started).toEqual([[[6], []]]);
  });
});
