import { describe, expect, test } from '@jest/globals';
import { Harness, namesIn, RecordingHandler } from '../testing/harness.test-support.ts';
import { a, eventually } from '../testing/scripted-source.test-support.ts';

describe('a relist whose handler releases the watch', () => {
  test('reports no further changes to the observer', async () => {
    const events: string[] = [];
    const observer = {
      event: (_watch: unknown, type: string) => void events.push(type),
      watchStopped: () => void events.push('stopped'),
    };
    await using harness = new Harness({ observer, linger: 0 });
    for (const name of ['a', 'b', 'c']) harness.source.set(name);
    const handle = harness.acquire();
    handle.addEventHandler(() => handle.release());
    await eventually(() => events.includes('stopped'));
    await eventually(() => harness.source.openRequests === 0);
    expect(events).toEqual(['added', 'stopped']);
  });
});

describe('an event for several handlers', () => {
  test('skips a handler that an earlier one removes, and no other handler', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    const first = new RecordingHandler(handle, () => second.registration.remove());
    const second = new RecordingHandler(handle);
    const third = new RecordingHandler(handle);
    await third.registration.synced;
    harness.source.set('a');
    await harness.caughtUp(handle);
    expect([first, second, third].map(({ lines }) => lines)).toEqual([
      ['added a'],
      [],
      ['added a'],
    ]);
  });

  test('reaches the other handlers when a handler removes itself', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    const first = new RecordingHandler(handle, () => first.registration.remove());
    const [second, third] = [new RecordingHandler(handle), new RecordingHandler(handle)];
    await third.registration.synced;
    harness.source.set('a');
    harness.source.set('a');
    await harness.caughtUp(handle);
    expect([first, second, third].map(({ lines }) => lines)).toEqual([
      ['added a'],
      ['added a', 'updated a'],
      ['added a', 'updated a'],
    ]);
  });

  test('skips a handler that is added during the delivery: its snapshot has the object', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    const late: RecordingHandler[] = [];
    const first = new RecordingHandler(handle, () => late.push(new RecordingHandler(handle)));
    await first.registration.synced;
    harness.source.set('a');
    await eventually(() => late[0]?.registration.hasSynced === true);
    expect(late.map(({ lines }) => lines)).toEqual([['initial a']]);
  });
});

describe('an event that several handles receive', () => {
  test.each([{}, { labelSelector: 'app=x' }])(
    'is one object for all handles of %j',
    async (query) => {
      await using harness = new Harness();
      await harness.synced({}, 'wide');
      const handles = await Promise.all(
        ['first', 'second'].map((owner) => harness.synced(query, owner)),
      );
      const received = handles.map((handle) => new RecordingHandler(handle));
      for (const { registration } of received) await registration.synced;
      for (const { events } of received) events.length = 0;
      harness.source.set('a', { metadata: { labels: { app: 'x' } } });
      await eventually(() => received.every(({ events }) => events.length === 1));
      const [first, second] = received.map(({ events }) => events[0]);
      expect(first).toMatchObject({ type: 'added', key: 'default/a' });
      expect(second).toBe(first);
    },
  );

  test('cannot be changed by a handler for the others', async () => {
    await using harness = new Harness();
    const handles = [
      await harness.synced({}, 'first'),
      await harness.synced({}, 'second'),
    ] as const;
    handles[0].addEventHandler((event) => {
      (event as { type: string }).type = 'deleted';
    });
    const second = new RecordingHandler(handles[1]);
    harness.source.set('a');
    await eventually(() => second.events.length === 1);
    expect(second.events[0]).toMatchObject({ type: 'added', key: 'default/a' });
    expect(harness.observer.errors).toHaveLength(1);
  });
});

describe('an event is delivered after the change of the store', () => {
  const byNode = {
    name: 'node',
    body: ({ spec }: { spec?: { node?: string } }) => [spec?.node ?? ''],
  };

  test('an event of the watch follows the change of the store: object, list, index and version are the new ones', async () => {
    await using harness = new Harness();
    const handle = await harness.synced({ indexers: [byNode] });
    const { store } = handle;
    const seen: unknown[] = [];
    const recorded = new RecordingHandler(handle, ({ type }) => {
      const onNode = ['n1', 'n2'].map(
        (value) => store.views({ index: { name: 'node', value } }).length,
      );
      seen.push([type, store.get(a)?.spec?.node, store.size, onNode, store.resourceVersion]);
    });
    await recorded.registration.synced;
    harness.source.set('a', { spec: { node: 'n1' } });
    harness.source.set('a', { spec: { node: 'n2' } });
    harness.source.remove('a');
    await harness.caughtUp(handle);
    expect(seen).toEqual([
      ['added', 'n1', 1, [1, 0], '2'],
      ['updated', 'n2', 1, [0, 1], '3'],
      ['deleted', undefined, 0, [0, 0], '4'],
    ]);
  });

  test('events of a relist follow the change of the store: every object is new before the first event', async () => {
    await using harness = new Harness();
    for (const name of ['changed', 'gone']) harness.source.set(name, { spec: { node: 'n1' } });
    const handle = await harness.synced({ indexers: [byNode] });
    const seen: unknown[] = [];
    const recorded = new RecordingHandler(handle, ({ type, key }) => {
      const onNode = handle.store.views({ index: { name: 'node', value: 'n2' } }).length;
      seen.push([type, key, namesIn(handle), onNode, handle.store.resourceVersion]);
    });
    await recorded.registration.synced;
    seen.length = 0;
    harness.missed(() => {
      harness.source.remove('gone');
      for (const name of ['changed', 'new']) harness.source.set(name, { spec: { node: 'n2' } });
    });
    await eventually(() => seen.length === 3);
    const state = [['changed', 'new'], 2, harness.source.version];
    expect(seen).toEqual([
      ['deleted', 'default/gone', ...state],
      ['updated', 'default/changed', ...state],
      ['added', 'default/new', ...state],
    ]);
  });

  test('events of the first list follow the change of the store: every object is stored before the first event', async () => {
    await using harness = new Harness();
    for (const name of ['a', 'b']) harness.source.set(name);
    const handle = harness.acquire();
    const seen: unknown[] = [];
    const recorded = new RecordingHandler(handle, () =>
      seen.push([handle.hasSynced, namesIn(handle)]),
    );
    await recorded.registration.synced;
    expect(seen).toEqual([
      [true, ['a', 'b']],
      [true, ['a', 'b']],
    ]);
  });
});
