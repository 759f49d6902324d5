import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { FrameBatch } from '@keelson/wire';
import type { ListerWatcher, ListRequest, WatchRequest } from '../contract/lister-watcher.ts';
import type { WatchHandle } from '../contract/watch-handle.ts';
import type { PartDifference, PartObject, WatchPart } from '../contract/watch-part.ts';
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
  byLabel: boolean = false;
  selects: boolean = false;

  constructor(wanted: string, name = 'letters') {
    this.wanted = wanted;
    this.name = name;
  }

  get shardSelector(): string | undefined {
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

/** A part by the label `letter`, of which a watch lists only the letters that have come. */
class GrowingLetters extends Letters {
  override byLabel = true;
  override selects = true;
  /** The letters at each version, without those that have left since. */
  readonly #earlier = new Map<number, string>();

  constructor(wanted: string) {
    super(wanted, 'growing');
    this.#earlier.set(0, wanted);
  }

  override become(wanted: string): void {
    super.become(wanted);
    for (const [version, known] of this.#earlier) {
      this.#earlier.set(
        version,
        lettersOf(known, (letter) => wanted.includes(letter)),
      );
    }
    this.#earlier.set(this.version, wanted);
  }

  growthSince(version: number): PartDifference | undefined {
    const had = this.#earlier.get(version);
    if (had === undefined) return undefined;
    const added = lettersOf(this.wanted, (letter) => !had.includes(letter));
    return {
      selection: { labelSelector: `letter in (${added})` },
      had: ({ metadata }) => had.includes(metadata.labels?.['letter'] ?? '-'),
    };
  }
}

function lettersOf(text: string, keeps: (letter: string) => boolean): string {
  return text.split('').filter(keeps).join('');
}

/** A source that selects by the label `letter`, and whose lists and events may be late. */
class LateHarness extends Harness {
  /** True while the watches deliver nothing. */
  isHeld = false;
  /** The turns of the event loop for which the next lists are late. */
  lateBy = 0;

  constructor() {
    super({ listerWatcher: () => this.#late });
    this.source.isSelected = ({ metadata }, selector) => {
      const letters = /\((.*)\)/.exec(selector ?? '')?.[1];
      return letters === undefined || letters.includes(metadata?.labels?.['letter'] ?? '-');
    };
  }

  get #late(): ListerWatcher {
    const { source } = this;
    return {
      list: async function* list(this: LateHarness, request: ListRequest) {
        const batches: FrameBatch[] = [];
        for await (const batch of source.list(request)) batches.push(batch);
        for (let left = this.lateBy; left > 0; left -= 1) await turn();
        yield* batches;
      }.bind(this),
      watch: async function* watch(this: LateHarness, request: WatchRequest) {
        for await (const batch of source.watch(request)) {
          while (this.isHeld && !request.signal.aborted) await turn();
          yield batch;
        }
      }.bind(this),
    };
  }
}

/** Resolves when a condition holds, after fewer turns than a hang would take. Turns in which a watch backs off do not count. */
async function soon(handle: Pick<WatchHandle, 'health'>, holds: () => boolean): Promise<void> {
  for (let turns = 0; !holds(); turns += handle.health.state === 'backing-off' ? 0 : 1) {
    if (turns > 20_000) throw new Error('the watch hangs');
    await turn();
  }
}

function fails(): never {
  throw new Error('no');
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

type Step =
  | { readonly act: 'set'; readonly name: string; readonly letter: string }
  | { readonly act: 'remove'; readonly name: string }
  | { readonly act: 'become'; readonly letters: string }
  | { readonly act: 'late'; readonly turns: number }
  | { readonly act: 'hold' | 'release' | 'turn' | 'cut' | 'compact' | 'bookmark' };

const anyLetter = fc.constantFrom('a', 'b', 'c', 'd');
const anyName = fc.constantFrom('one', 'two', 'three', 'four', 'five', 'six');
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        act: fc.constant('set' as const),
        name: anyName,
        letter: anyLetter,
      }),
    },
    { weight: 2, arbitrary: fc.record({ act: fc.constant('remove' as const), name: anyName }) },
    {
      weight: 4,
      arbitrary: fc.record({
        act: fc.constant('become' as const),
        letters: fc.subarray(['a', 'b', 'c', 'd'], { minLength: 1 }).map((all) => all.join('')),
      }),
    },
    { weight: 1, arbitrary: fc.record({ act: fc.constant('late' as const), turns: fc.nat(12) }) },
    {
      weight: 8,
      arbitrary: fc.record({
        act: fc.constantFrom('hold' as const, 'release', 'turn', 'turn', 'turn', 'bookmark'),
      }),
    },
    { weight: 1, arbitrary: fc.record({ act: fc.constantFrom('cut' as const, 'compact') }) },
  ),
  { minLength: 20, maxLength: 80 },
);

/** Changes the objects and the part at random while lists and events are late, and compares the store with the source. */
async function grow(actions: readonly Step[]): Promise<void> {
  await using harness = new LateHarness();
  const { source } = harness;
  const part = new GrowingLetters('ab');
  source.set('one', { metadata: { labels: { letter: 'a' } } });
  const handle = await harness.synced({ part });
  const recorded = new RecordingHandler(handle);
  const followed: Promise<void>[] = [];
  for (const step of actions) {
    if (step.act === 'set')
      source.set(step.name, { metadata: { labels: { letter: step.letter } } });
    else if (step.act === 'remove') {
      if (source.objects.some(({ metadata }) => metadata?.name === step.name)) {
        source.remove(step.name);
      }
    } else if (step.act === 'become') {
      part.become(step.letters);
      followed.push(handle.followPart());
    } else if (step.act === 'late') harness.lateBy = step.turns;
    else if (step.act === 'hold' || step.act === 'release') harness.isHeld = step.act === 'hold';
    else if (step.act === 'bookmark') source.bookmark();
    else if (step.act === 'compact') source.compact();
    else if (step.act === 'cut') {
      harness.leap();
      source.cut();
    }
    await turn();
  }
  harness.isHeld = false;
  harness.leap();
  let isFollowed = false;
  void Promise.all([...followed, handle.followPart()]).then(() => (isFollowed = true));
  await soon(handle, () => isFollowed);
  await soon(handle, () => {
    source.bookmark();
    return handle.store.resourceVersion === source.version && handle.health.state === 'live';
  });
  // An object of which a change has left the part stays until then.
  await handle.followPart();
  const stored = handle.store.views().map((view) => `${view.name} ${view.resourceVersion}`);
  const expected = source.objects
    .filter(({ metadata }) => part.wanted.includes(metadata?.labels?.['letter'] ?? '-'))
    .map(({ metadata }) => `${metadata?.name} ${metadata?.resourceVersion}`);
  expect(stored.toSorted()).toEqual(expected.toSorted());
  for (const [key, events] of Map.groupBy(recorded.events, (event) => event.key)) {
    const versions = events.map(({ object }) => Number(object.resourceVersion));
    expect([key, versions]).toEqual([key, versions.toSorted((one, other) => one - other)]);
    const view = handle.store.views().find((one) => one.key === key);
    const last = events.at(-1);
    if (view !== undefined) expect(last?.object.resourceVersion).toBe(view.resourceVersion);
    if (view !== undefined) expect(last?.type).not.toBe('deleted');
  }
}

const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);
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
    let following: Promise<void> | undefined;
    harness.source.listScripts.push(async function* slow() {
      const objects = ['a1', 'b1'].map((name) => harness.source.set(name));
      yield { frames: objects.map((object) => objectFrame('ADDED', object)), receivedAt: 0 };
      part.become('a');
      following = handle.followPart();
      const listMetadata = { resourceVersion: harness.source.version };
      yield { frames: [], receivedAt: 0, listMetadata };
    });
    const handle = harness.acquire({ part });
    await handle.synced;
    await following;
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

  test('lists only the objects that enter the part, beside the stream', async () => {
    await using harness = new LateHarness();
    const { source } = harness;
    const set = (each: string, label: string): void => {
      source.set(each, { metadata: { labels: { letter: label } } });
    };
    for (const each of 'abcd') set(`${each}1`, each);
    const part = new GrowingLetters('ab');
    const handle = await harness.synced({ part });
    const recorded = new RecordingHandler(handle);
    await recorded.registration.synced;
    recorded.events.length = 0;
    harness.lateBy = 20;
    part.become('abc');
    const followed = handle.followPart();
    await eventually(() => source.count('list') === 1);
    // The stream runs on while the list is late, and passes its version.
    set('a2', 'a');
    await eventually(() => recorded.lines.length === 1);
    set('c2', 'c');
    await followed;
    await eventually(() => recorded.lines.length === 3);
    expect(recorded.lines).toEqual(['added a2', 'added c1', 'added c2']);
    expect(source.requests.filter(({ verb }) => verb === 'list')).toMatchObject([
      { labelSelector: 'letter in (c)' },
    ]);
    expect(harness.observer.of('listing')).toHaveLength(1);
    expect(namesIn(handle)).toEqual(['a1', 'a2', 'b1', 'c1', 'c2']);
  });

  test.each<[string, () => object]>([
    ['growthSince throws', () => ({ growthSince: () => fails() })],
    ['growthSince rejects', () => ({ growthSince: () => Promise.reject(new Error('later')) })],
    ['had throws', () => ({ growthSince: () => ({ selection: {}, had: () => fails() }) })],
    [
      'had rejects',
      () => ({
        growthSince: () => ({ selection: {}, had: () => Promise.reject(new Error('later')) }),
      }),
    ],
  ])('lists all objects if %s', async (_, functions) => {
    await using harness = new Harness();
    for (const each of ['a1', 'b1', 'c1']) harness.source.set(each);
    const part = Object.assign(new Letters('ab'), functions());
    const handle = await harness.synced({ part });
    part.become('abc');
    await handle.followPart();
    expect(namesIn(handle)).toEqual(['a1', 'b1', 'c1']);
  });

  test('equals the source after random growths, changes and faults, and emits each state once', async () => {
    await fc.assert(fc.asyncProperty(steps, grow), { numRuns: Math.ceil(60 * multiple) });
  }, 600_000);

  test('followPart has no effect without a part, and rejects after the release', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    await handle.followPart();
    expect(harness.observer.of('listing')).toHaveLength(1);
    handle.release();
    await expect(handle.followPart()).rejects.toEqual(withCode('HANDLE_RELEASED'));
  });

  test.each([
    { name: '' },
    { version: 'x' },
    { keeps: 1 },
    { shardSelector: 1 },
    { labelSelector: 1 },
  ])('refuses a part with %j', async (wrong) => {
    await using harness = new Harness();
    const part = { name: 'a', version: 0, keeps: () => true, ...wrong } as never;
    expect(() => harness.acquire({ part })).toThrow(withCode('INVALID_OPTION'));
  });
});
