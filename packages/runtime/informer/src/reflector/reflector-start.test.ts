import { describe, expect, test } from '@jest/globals';
import { Harness } from '../testing/harness.test-support.ts';
import { ScriptedSource, silence } from '../testing/scripted-source.test-support.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';

stopTheClock();

const KINDS = 100;
const SLOTS = 32;

/** Acquires many queries of one source, each with a watch of its own. */
function started(source: ScriptedSource): Harness {
  source.set('a');
  const harness = new Harness({ listerWatcher: () => source });
  for (let n = 0; n < KINDS; n++) harness.acquire({ labelSelector: `n=${n}` });
  return harness;
}

describe('the start of many watches', () => {
  test('begins with 32, and each sync lets another one begin', async () => {
    const source = new ScriptedSource();
    let most = 0;
    let open = 0;
    const watch = source.watch.bind(source);
    source.watch = async function* counted(request) {
      open += 1;
      most = Math.max(most, open);
      let batches = 0;
      for await (const batch of watch(request)) {
        yield batch;
        // The initial state is complete with the second batch.
        batches += 1;
        if (batches === 2) open -= 1;
      }
    };
    await using harness = started(source);
    await pass(0);
    expect(source.openWatches.size).toBe(KINDS);
    expect(harness.cache.inventory().every(({ health }) => health.state === 'live')).toBe(true);
    expect(most).toBeLessThanOrEqual(SLOTS);
  });

  test('is delayed by a second at most if the first watches have no response', async () => {
    const source = new ScriptedSource();
    for (let n = 0; n < SLOTS; n++) source.watchScripts.push(silence);
    await using harness = started(source);
    expect(harness.cache.inventory()).toHaveLength(KINDS);
    await pass(999);
    expect(source.count('watch')).toBe(SLOTS);
    await pass(1);
    expect(source.count('watch')).toBe(KINDS);
    expect(source.openWatches.size).toBe(KINDS - SLOTS);
  });

  test('ends with `close` while watches wait for their start', async () => {
    const source = new ScriptedSource();
    for (let n = 0; n < SLOTS; n++) source.watchScripts.push(silence);
    const harness = started(source);
    await pass(0);
    await harness.cache.close();
    expect(source.count('watch')).toBe(SLOTS);
  });
});
