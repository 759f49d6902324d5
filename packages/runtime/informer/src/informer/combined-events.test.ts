import { describe, expect, test } from '@jest/globals';
import { Harness, RecordingHandler } from '../testing/harness.test-support.ts';
import { eventually, type Thing } from '../testing/scripted-source.test-support.ts';

/** The events of a handler, with a mark at those that may combine changes. */
function marked({ events }: RecordingHandler): string[] {
  return events.map(({ type, mayCombine }) => `${type}${mayCombine === true ? ' combined' : ''}`);
}

describe('an event that may combine changes', () => {
  test('comes from a relist, not from the watch', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    const recorded = new RecordingHandler(handle);
    harness.source.set('a');
    harness.source.set('a');
    await harness.caughtUp(handle);
    harness.missed(() => {
      harness.source.set('a');
      harness.source.set('a');
      harness.source.set('b');
    });
    await harness.caughtUp(handle);
    expect(marked(recorded)).toEqual(['added', 'updated', 'updated combined', 'added combined']);
  });

  test('comes from a watch after an object that it did not store', async () => {
    await using harness = new Harness();
    const apply = (object: Thing): Thing => {
      if (object.spec?.value === 0) throw new Error('broken');
      return object;
    };
    const handle = await harness.synced({ transform: { name: 'strict', apply } });
    const recorded = new RecordingHandler(handle);
    for (const value of [1, 2, 0, 3]) harness.source.set('a', { spec: { value } });
    await harness.caughtUp(handle);
    expect(marked(recorded)).toEqual(['added', 'updated', 'updated combined']);
  });

  test('comes from a move to another watch', async () => {
    await using harness = new Harness();
    const narrow = await harness.synced({ namespace: 'default' });
    const recorded = new RecordingHandler(narrow);
    harness.source.set('a');
    await harness.caughtUp(narrow);
    // The wide watch has the change before the narrow one.
    for (const watch of harness.source.openWatches) watch.push = () => undefined;
    harness.source.set('a');
    const wide = await harness.synced({}, 'wide');
    await eventually(() => narrow.identity === wide.identity, 'the move');
    expect(marked(recorded)).toEqual(['added', 'updated combined']);
  });
});
