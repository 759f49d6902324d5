import { describe, expect, test } from '@jest/globals';
import type { PartObject, WatchPart } from '../contract/watch-part.ts';
import {
  Harness,
  listing,
  namesIn,
  RecordingHandler,
  withCode,
} from '../testing/harness.test-support.ts';
import { eventually, objectFrame, Thing } from '../testing/scripted-source.test-support.ts';

/** A part of the objects with these first letters, or with a label of these letters. */
class Letters implements WatchPart {
  readonly name: string;
  version = 0;
  wanted: string;
  /** Decides by the label `letter`, which can change. */
  byLabel = false;
  selects = false;

  constructor(wanted: string, name = 'letters') {
    this.wanted = wanted;
    this.name = name;
  }

  get selector(): string | undefined {
    return this.selects ? `select ${this.wanted}` : undefined;
  }

  get labelSelector(): string | undefined {
    return this.selects ? `letter in (${this.wanted})` : undefined;
  }

  keeps({ name, metadata }: PartObject): boolean {
    const letter = this.byLabel ? metadata.labels?.['letter'] : name[0];
    return this.wanted.includes(letter ?? '-');
  }

  become(wanted: string): void {
    if (wanted.split('').some((letter) => !this.wanted.includes(letter))) this.version += 1;
    this.wanted = wanted;
  }
}

const sources = [
  ['WatchList', () => new Harness()],
  ['LIST', () => listing()],
] as const;

describe('a watch with a part', () => {
  test.each(sources)('keeps and emits the objects of the part alone, by %s', async (_, create) => {
    await using harness = create();
    for (const name of ['a1', 'b1', 'c1']) harness.source.set(name);
    const handle = await harness.synced({ part: new Letters('ab') });
    const recorded = new RecordingHandler(handle);
    await recorded.registration.synced;
    for (const name of ['a2', 'c2', 'b1']) harness.source.set(name);
    harness.source.remove('c1');
    harness.source.remove('a1');
    await harness.caughtUp(handle);
    expect(namesIn(handle)).toEqual(['a2', 'b1']);
    expect(recorded.lines).toEqual([
      'initial a1',
      'initial b1',
      'added a2',
      'updated b1',
      'deleted a1',
    ]);
  });

  test.each(sources)('drops what leaves the part without an event, by %s', async (_, create) => {
    await using harness = create();
    for (const name of ['a1', 'b1']) harness.source.set(name);
    const part = new Letters('ab');
    const handle = await harness.synced({ part });
    const recorded = new RecordingHandler(handle);
    await recorded.registration.synced;
    const lists = harness.observer.of('listing').length;
    part.become('a');
    await handle.followPart();
    expect(namesIn(handle)).toEqual(['a1']);
    expect(recorded.lines).toEqual(['initial a1', 'initial b1']);
    expect(harness.observer.of('listing')).toHaveLength(lists);
    harness.source.remove('b1');
    harness.source.set('a1');
    await harness.caughtUp(handle);
    expect(recorded.lines.slice(2)).toEqual(['updated a1']);
  });

  test.each(sources)(
    'lists what enters the part, and drops what has left, by %s',
    async (_, create) => {
      await using harness = create();
      for (const name of ['a1', 'b1', 'c1']) harness.source.set(name);
      const part = new Letters('ab');
      const handle = await harness.synced({ part });
      const recorded = new RecordingHandler(handle);
      await recorded.registration.synced;
      part.become('bc');
      const following = handle.followPart();
      expect(handle.store.has({ namespace: 'default', name: 'a1' })).toBe(true);
      await following;
      expect(namesIn(handle)).toEqual(['b1', 'c1']);
      expect(recorded.lines.slice(2)).toEqual(['added c1']);
      await handle.followPart();
      expect(harness.observer.of('listing requested')).toHaveLength(1);
    },
  );

  test('lists again if the part grows while a list is arriving', async () => {
    await using harness = listing();
    const part = new Letters('a');
    const arrived = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    harness.source.listScripts.push(async function* slow() {
      const objects = ['a1', 'b1'].map((name) => harness.source.set(name));
      yield { frames: objects.map((object) => objectFrame('ADDED', object)), receivedAt: 0 };
      arrived.resolve();
      await release.promise;
      yield {
        frames: [],
        receivedAt: 0,
        listMetadata: { resourceVersion: harness.source.version },
      };
    });
    const handle = harness.acquire({ part });
    await arrived.promise;
    part.become('ab');
    const following = handle.followPart();
    release.resolve();
    await following;
    expect(namesIn(handle)).toEqual(['a1', 'b1']);
  });

  test('drops the objects of a list that left the part while it was arriving', async () => {
    await using harness = listing();
    const part = new Letters('ab');
    harness.source.listScripts.push(async function* slow() {
      const objects = ['a1', 'b1'].map((name) => harness.source.set(name));
      yield { frames: objects.map((object) => objectFrame('ADDED', object)), receivedAt: 0 };
      part.become('a');
      void handle.followPart();
      const listMetadata = { resourceVersion: harness.source.version };
      yield { frames: [], receivedAt: 0, listMetadata };
    });
    const handle = harness.acquire({ part });
    await handle.synced;
    await eventually(() => handle.store.size === 1, 'the drop');
    expect(namesIn(handle)).toEqual(['a1']);
  });

  test('emits the change by which a stored object leaves the part', async () => {
    await using harness = new Harness();
    const part = new Letters('xy');
    part.byLabel = true;
    harness.source.set('a', { metadata: { labels: { letter: 'x' } } });
    const handle = await harness.synced({ part });
    const recorded = new RecordingHandler(handle);
    await recorded.registration.synced;
    harness.source.set('a', { metadata: { labels: { letter: 'z' } } });
    await harness.caughtUp(handle);
    expect(recorded.lines).toEqual(['initial a', 'updated a']);
    await handle.followPart();
    expect(handle.store.views()).toEqual([]);
    harness.source.set('a', { metadata: { labels: { letter: 'y' } } });
    await harness.caughtUp(handle);
    expect(recorded.lines.at(-1)).toBe('added a');
  });

  test('shares its watch only with queries of the same part, and serves no read of the whole cache', async () => {
    await using harness = new Harness();
    harness.source.set('a1');
    const part = new Letters('a');
    const handle = await harness.synced({ part });
    const all = harness.acquire();
    await all.synced;
    const same = harness.acquire({ part });
    const other = harness.acquire({ part: new Letters('b', 'other') });
    await other.synced;
    expect(same.identity).toBe(handle.identity);
    expect(new Set([handle, all, other].map(({ identity }) => identity)).size).toBe(3);
    all.release();
    await using alone = new Harness();
    await alone.synced({ part });
    expect(() => alone.cache.list(Thing)).toThrow(withCode('NOT_WATCHED'));
    const scope = harness.cache.scope();
    await scope.acquire({ resource: Thing, part }, { owner: 'scope' }).synced;
    expect(scope.list(Thing).map(({ metadata }) => metadata.name)).toEqual(['a1']);
  });

  test('keeps an object about which the part throws, and reports the error', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    const error = new Error('no');
    const part: WatchPart = {
      name: 'broken',
      version: 0,
      keeps: () => {
        throw error;
      },
    };
    const handle = await harness.synced({ part });
    expect(handle.store.size).toBe(1);
    expect(harness.observer.errors).toContain(error);
  });

  test.each(sources)(
    'sends the selectors of the part with each request, by %s',
    async (_, create) => {
      await using harness = create();
      const part = new Letters('ab');
      part.selects = true;
      const handle = await harness.synced({ part });
      await eventually(() => handle.health.state === 'live');
      part.become('a');
      await handle.followPart();
      await eventually(() => harness.lastRequest?.shardSelector === 'select a', 'another watch');
      const { lastRequest } = harness;
      expect(lastRequest).toMatchObject({ verb: 'watch', resourceVersion: harness.source.version });
      part.become('ac');
      await handle.followPart();
      const selectors = harness.source.requests.map(({ shardSelector, labelSelector }) =>
        [shardSelector, labelSelector].join(', '),
      );
      const expected = ['ab', 'a', 'ac'].map(
        (letters) => `select ${letters}, letter in (${letters})`,
      );
      expect(new Set(selectors)).toEqual(new Set(expected));
      expect(harness.observer.of('listing requested')).toHaveLength(1);
      expect(harness.observer.of('restarting')).toEqual([]);
    },
  );

  test('followPart has no effect without a part, and rejects after the release', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    await handle.followPart();
    expect(harness.observer.of('listing')).toHaveLength(1);
    handle.release();
    await expect(handle.followPart()).rejects.toEqual(withCode('HANDLE_RELEASED'));
  });

  test.each([{ name: '' }, { version: 'x' }, { keeps: 1 }, { selector: 1 }, { labelSelector: 1 }])(
    'refuses a part with %j',
    async (wrong) => {
      await using harness = new Harness();
      const part = { name: 'a', version: 0, keeps: () => true, ...wrong } as never;
      expect(() => harness.acquire({ part })).toThrow(withCode('INVALID_OPTION'));
    },
  );
});
