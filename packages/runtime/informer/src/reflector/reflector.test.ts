import { describe, expect, test } from '@jest/globals';
import { jsonFormat, type Frame } from '@keelson/wire';
import { Harness, listing, namesIn, RecordingHandler } from '../testing/harness.test-support.ts';
import {
  eventually,
  failing,
  objectFrame,
  statusError,
  thing,
} from '../testing/scripted-source.test-support.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';

stopTheClock();

describe('reflector: requests', () => {
  test('the first watch, with or without WatchList, is not reported as a restart', async () => {
    for (const make of [() => new Harness(), listing]) {
      await using harness = make();
      await harness.synced();
      expect(harness.observer.of('restarting')).toEqual([]);
      await pass(20_000);
      harness.source.cut();
      await pass(0);
      expect(harness.observer.of('restarting')).toEqual(['restarting end']);
    }
  });

  test('RF08 WatchList: exact options, then from the last resourceVersion', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    await harness.synced();
    expect(harness.source.requests).toEqual([
      {
        verb: 'watch',
        resourceVersion: '',
        resourceVersionMatch: 'NotOlderThan',
        sendInitialEvents: true,
        allowWatchBookmarks: true,
        timeoutSeconds: 600,
      },
    ]);
    harness.source.set('b');
    await pass(20_000);
    harness.source.cut();
    await pass(0);
    expect(harness.lastRequest).toEqual({
      verb: 'watch',
      resourceVersion: harness.source.version,
      allowWatchBookmarks: true,
      timeoutSeconds: 600,
    });
    expect(harness.source.count('list')).toBe(0);
  });

  test('RF08 list and watch: exact options, then from the last resourceVersion', async () => {
    await using harness = listing();
    harness.source.set('a');
    const handle = await harness.synced();
    expect(harness.source.requests.slice(1)).toEqual([
      { verb: 'list', resourceVersion: '0', limit: 500 },
      { verb: 'watch', resourceVersion: '2', allowWatchBookmarks: true, timeoutSeconds: 600 },
    ]);
    expect(namesIn(handle)).toEqual(['a']);
  });

  test('RF16 limit and continue are on every page', async () => {
    await using harness = listing();
    harness.source.pageSize = 2;
    for (const name of ['a', 'b', 'c', 'd', 'e']) harness.source.set(name);
    const handle = await harness.synced();
    expect(harness.source.requests.slice(1, 4)).toEqual([
      { verb: 'list', resourceVersion: '0', limit: 500 },
      { verb: 'list', continue: '2', limit: 500 },
      { verb: 'list', continue: '4', limit: 500 },
    ]);
    expect(handle.store.size).toBe(5);
  });

  test('RF16 an expired continue token causes one whole list', async () => {
    await using harness = listing();
    harness.source.pageSize = 2;
    for (const name of ['a', 'b', 'c']) harness.source.set(name);
    harness.source.listScripts.push(undefined, () => failing(statusError(410, 'Expired')));
    const handle = await harness.synced();
    expect(harness.source.requests.slice(1, 4)).toEqual([
      { verb: 'list', resourceVersion: '0', limit: 500 },
      { verb: 'list', continue: '2', limit: 500 },
      { verb: 'list', resourceVersion: '0' },
    ]);
    expect(handle.store.size).toBe(3);
  });

  test('RF16 another error of a page causes no whole list, and its objects are not stored', async () => {
    await using harness = listing();
    harness.source.pageSize = 1;
    for (const name of ['a', 'b']) harness.source.set(name);
    harness.source.listScripts.push(undefined, () => failing(statusError(500, 'InternalError')));
    const handle = harness.acquire();
    await eventually(() => handle.health.state === 'backing-off');
    expect(harness.source.requests).toHaveLength(3);
    expect(harness.observer.of('listing')).toEqual(['listing initial', 'listing initial']);
    expect(handle.store.size).toBe(0);
  });

  test('a list that repeats a continue token ends, and retries after a backoff', async () => {
    await using harness = listing();
    const again = async function* () {
      yield {
        frames: [objectFrame('ADDED', thing('a'))],
        receivedAt: 0,
        listMetadata: { resourceVersion: '1', continue: 'same' },
      };
    };
    harness.source.listScripts.push(again, again);
    const handle = harness.acquire();
    await eventually(() => handle.health.state === 'backing-off');
    expect(handle.health.lastError).toMatchObject({ code: 'LIST_ENDLESS' });
    expect(harness.source.count('list')).toBe(2);
    expect(handle.store.size).toBe(0);
    await pass(60_000);
    expect(handle.hasSynced).toBe(true);
  });

  test.each(['objects', 'objects of another kind'])(
    'pages that repeat the same %s under new continue tokens are requested at growing intervals, then the list ends',
    async (content) => {
      await using harness = listing();
      const text =
        content === 'objects'
          ? JSON.stringify(thing('a'))
          : '{"kind":"Other","metadata":{"name":"a"}}';
      let page = 0;
      const again = async function* () {
        const listMetadata = { resourceVersion: '1', continue: `token ${page++}` };
        const buffer = Buffer.from(text);
        const frame = { type: 'ADDED', format: jsonFormat, buffer, from: 0, to: buffer.length };
        yield { frames: [frame as Frame], receivedAt: 0, listMetadata };
      };
      harness.source.listScripts.push(...Array.from({ length: 7 }, () => again));
      const handle = harness.acquire();
      await pass(100 + 200 + 400 + 800);
      expect(page).toBe(6);
      await pass(1_600);
      expect(page).toBe(7);
      expect(handle.health.lastError).toMatchObject({ code: 'LIST_ENDLESS' });
      await pass(60_000);
      expect(handle.hasSynced).toBe(true);
    },
  );

  test('empty pages are requested at growing intervals, until one has objects', async () => {
    await using harness = listing();
    let page = 0;
    const empty = async function* () {
      const listMetadata = { resourceVersion: '1', continue: `token ${page++}` };
      yield { frames: [], receivedAt: 0, listMetadata };
    };
    harness.source.listScripts.push(...Array.from({ length: 100 }, () => empty));
    const handle = harness.acquire();
    await pass(60_000);
    expect(handle.hasSynced).toBe(false);
    expect(page).toBeGreaterThan(8);
    expect(page).toBeLessThan(20);
    handle.release();
    await pass(10_000);
    const asked = page;
    await pass(60_000);
    expect(page).toBe(asked);
  });

  test('RF17 a relist at a concrete resourceVersion is not paged', async () => {
    await using harness = listing();
    await harness.synced();
    harness.source.fail(410, 'Expired');
    await pass(0);
    expect(harness.source.requests.at(-2)).toEqual({ verb: 'list', resourceVersion: '1' });
  });

  test('RF17 a relist is paged if the list at "0" had several pages', async () => {
    await using harness = listing();
    harness.source.pageSize = 1;
    harness.source.set('a');
    harness.source.set('b');
    await harness.synced();
    harness.source.fail(410, 'Expired');
    await pass(0);
    const lists = harness.source.requests.filter(({ verb }) => verb === 'list');
    expect(lists.at(2)).toEqual({ verb: 'list', resourceVersion: '3', limit: 500 });
  });

  test('RF19 lists are at "0", then at the last seen version', async () => {
    await using harness = listing();
    const handle = await harness.synced();
    harness.source.set('a');
    await harness.caughtUp(handle);
    harness.source.fail(410, 'Expired');
    await pass(0);
    const versions = harness.source.requests.flatMap((request) =>
      request.verb === 'list' ? [request.resourceVersion] : [],
    );
    expect(versions).toEqual(['0', harness.source.version]);
  });

  test('RF20 a relist with the response "expired" lists the newest version', async () => {
    await using harness = listing();
    await harness.synced();
    harness.source.listScripts.push(() => failing(statusError(410, 'Expired')));
    harness.source.fail(410, 'Expired');
    await pass(0);
    expect(harness.source.requests.at(-2)).toEqual({
      verb: 'list',
      resourceVersion: '',
      limit: 500,
    });
    expect(harness.observer.of('listing')).toEqual([
      'listing initial',
      'listing initial',
      'listing expired',
      'listing expired',
    ]);
  });

  test.each([
    ['by cause', { details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } }],
    [
      'by the message of a cause',
      { details: { causes: [{ message: 'Too large resource version' }] } },
    ],
    ['by its message', { message: 'Too large resource version: 9, current: 3' }],
  ])('RF22 "too large resource version" %s asks for the newest', async (_name, extra) => {
    await using harness = listing();
    await harness.synced();
    harness.source.listScripts.push(() => failing(statusError(504, 'Timeout', extra)));
    harness.source.fail(410, 'Expired');
    await pass(0);
    expect(harness.source.requests.at(-2)).toEqual({
      verb: 'list',
      resourceVersion: '',
      limit: 500,
    });
    expect(harness.observer.lines).toContain('listing too-large');
  });

  test('RF22 WatchList with the response "too large" requests the newest version', async () => {
    await using harness = new Harness();
    await harness.synced();
    const extra = { details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } };
    harness.source.watchScripts.push(() => failing(statusError(504, 'Timeout', extra)));
    harness.source.fail(410, 'Expired');
    await pass(0);
    const [, refusedOne, last] = harness.source.requests;
    expect(refusedOne).toMatchObject({ sendInitialEvents: true, resourceVersion: '1' });
    expect(last).toMatchObject({ sendInitialEvents: true, resourceVersion: '' });
  });

  test.each([
    [0, 300],
    [0.5, 450],
    [1, 600],
  ])('RF23 timeoutSeconds is uniform from 300 to 600: %d gives %d', async (random, expected) => {
    await using harness = new Harness({ random: () => random });
    await harness.synced();
    expect(harness.lastRequest).toMatchObject({ timeoutSeconds: expected });
  });
});

describe('reflector: changes', () => {
  test('RF06 events reach the store; objects of other kinds are counted and skipped', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    harness.source.set('a');
    harness.source.set('b');
    harness.source.set('b', { spec: { value: 2 } });
    harness.source.remove('a');
    await harness.caughtUp(handle);
    const version = harness.source.version;
    for (const watch of harness.source.openWatches) {
      watch.push([
        objectFrame('ADDED', { ...thing('x'), kind: 'Other' }),
        objectFrame('ADDED', { kind: 'Thing' }),
        objectFrame('ADDED', undefined),
      ]);
    }
    await pass(0);
    expect(harness.observer.of('skipped')).toEqual([
      'skipped other-kind',
      'skipped no-metadata',
      'skipped no-metadata',
    ]);
    expect(namesIn(handle)).toEqual(['b']);
    expect(handle.store.resourceVersion).toBe(version);
  });

  test('RF24 SI42 the resourceVersion follows add, update, delete, bookmark and relist', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    const seen: string[] = [];
    for (const change of [
      () => harness.source.set('a'),
      () => harness.source.set('a', { spec: { value: 1 } }),
      () => harness.source.remove('a'),
      () => harness.source.bookmark({ resourceVersion: '77' }),
      () => harness.source.fail(410, 'Expired'),
    ]) {
      change();
      await pass(0);
      seen.push(handle.store.resourceVersion);
    }
    expect(seen).toEqual(['2', '3', '4', '77', '4']);
  });

  test('an event with the stored version reaches no handler, and another kind is not stored as metadata', async () => {
    await using harness = new Harness();
    const handle = await harness.synced({ projection: 'metadata' });
    const recorded = new RecordingHandler(handle);
    await recorded.registration.synced;
    const [watch] = harness.source.openWatches;
    const object = thing('a', { resourceVersion: '7' });
    watch?.push([objectFrame('ADDED', object), objectFrame('MODIFIED', object)]);
    const other = { ...thing('b', { resourceVersion: '8' }), kind: 'Other' };
    watch?.push([objectFrame('ADDED', other)]);
    await pass(0);
    expect(recorded.lines).toEqual(['added a']);
    expect(namesIn(handle)).toEqual(['a']);
  });

  test('a watch of metadata stores metadata, and a watch of full objects skips them', async () => {
    const sizes = { full: 0, metadata: 1 };
    for (const projection of ['full', 'metadata'] as const) {
      await using harness = new Harness();
      const handle = await harness.synced({ projection });
      const [watch] = harness.source.openWatches;
      const alone = { ...thing('a', { resourceVersion: '7' }), kind: 'PartialObjectMetadata' };
      watch?.push([objectFrame('ADDED', alone)]);
      await pass(0);
      expect(handle.store.size).toBe(sizes[projection]);
      expect(harness.observer.of('skipped')).toHaveLength(1 - sizes[projection]);
    }
  });

  test('RF25 an ERROR event ends the watch and relists; objects that no longer exist are removed', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    harness.source.set('b');
    const handle = await harness.synced();
    const recorded = new RecordingHandler(handle);
    await recorded.registration.synced;
    await pass(20_000);
    for (const watch of harness.source.openWatches) {
      watch.push([objectFrame('ERROR', { kind: 'Status', code: 500, reason: 'InternalError' })]);
    }
    await pass(0);
    expect(harness.observer.of('listing')).toEqual(['listing initial', 'listing error']);
    expect(recorded.lines).toEqual(['initial a', 'initial b']);
    // The deletion happens while no stream is open.
    harness.source.watchScripts.push(() => failing(statusError(410, 'Expired')));
    await pass(20_000);
    harness.source.cut();
    harness.source.remove('a');
    await pass(0);
    expect(recorded.lines).toEqual(['initial a', 'initial b', 'gone a']);
  });

  test('RF26 objects of list, watch and WatchList are transformed exactly once', async () => {
    for (const supportsWatchList of [true, false]) {
      await using harness = new Harness();
      harness.source.supportsWatchList = supportsWatchList;
      harness.source.set('a');
      const seen: string[] = [];
      const transform = {
        name: 'mark',
        apply: (object: { metadata?: { name?: string; resourceVersion?: string } }) => {
          seen.push(`${object.metadata?.name} ${object.metadata?.resourceVersion}`);
          return { ...object, spec: { node: 'marked' } };
        },
      };
      const handle = await harness.synced({ transform });
      harness.source.set('b');
      await harness.caughtUp(handle);
      harness.source.fail(410, 'Expired');
      await pass(0);
      expect(seen).toEqual(['a 2', 'b 3']);
      expect(handle.store.list().map(({ spec }) => spec?.node)).toEqual(['marked', 'marked']);
    }
  });

  test('RF27 a Table response is an error', async () => {
    await using harness = listing();
    harness.source.listScripts.push(async function* () {
      yield { frames: [objectFrame('ADDED', { kind: 'Table' })], receivedAt: 0, listMetadata: {} };
    });
    const handle = harness.acquire();
    await pass(0);
    expect(handle.health.lastError).toMatchObject({ code: 'TABLE_RESPONSE' });
    expect(handle.hasSynced).toBe(false);
  });
});
