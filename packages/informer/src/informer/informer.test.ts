import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { array, assert, asyncProperty, constantFrom, record } from 'fast-check';
import { History } from '../testing/history.test-support.ts';
import type { InformerEvent } from '../contract/informer-event.ts';
import { Harness, namesIn, Told } from '../testing/harness.test-support.ts';
import {
  a,
  bytesFrame,
  eventually,
  failing,
  statusError,
  Thing,
} from '../testing/scripted-source.test-support.ts';

describe('informer', () => {
  test('SI05 list and watch errors reach the observer', async () => {
    await using harness = new Harness();
    harness.source.supportsWatchList = false;
    harness.source.listScripts.push(() => failing(statusError(410, 'Gone')));
    await harness.synced();
    harness.leap();
    harness.source.cut(new Error('reset'));
    await eventually(() => harness.observer.errors.length === 2);
    expect(harness.observer.errors).toEqual([
      expect.objectContaining({ code: 'API_STATUS' }),
      expect.objectContaining({ message: 'reset' }),
    ]);
  });

  test('SI07 store and handlers see transformed objects', async () => {
    await using harness = new Harness();
    const transform = { name: 'mark', apply: (thing: Thing) => ({ ...thing, spec: { value: 7 } }) };
    harness.source.set('a', { spec: { value: 1 } });
    const handle = await harness.synced({ transform });
    const told = new Told(handle);
    await told.registration.synced;
    expect(told.events[0]?.object.value().spec).toEqual({ value: 7 });
    expect(handle.store.get(a)?.spec).toEqual({ value: 7 });
  });

  test('SI08 handlers are removed one by one', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    const [first, second] = [new Told(handle), new Told(handle)];
    first.registration.remove();
    harness.source.set('a');
    await harness.caughtUp(handle);
    second.registration.remove();
    harness.source.set('b');
    await harness.caughtUp(handle);
    expect([first.lines, second.lines]).toEqual([[], ['added a']]);
  });

  test('SI09 SI11 removing a foreign or removed handler is harmless', async () => {
    await using harness = new Harness();
    const [mine, other] = [await harness.synced(), await harness.synced()];
    const told = new Told(mine);
    const foreign = new Told(other);
    foreign.registration.remove();
    foreign.registration.remove();
    other.release();
    foreign.registration.remove();
    harness.source.set('a');
    await harness.caughtUp(mine);
    expect(told.lines).toEqual(['added a']);
  });

  test('SI10 one function registered twice is told twice and removed one at a time', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    const keys: string[] = [];
    const handler = (event: InformerEvent<Thing>): unknown => keys.push(event.key);
    const [first] = [handle.addEventHandler(handler), handle.addEventHandler(handler)];
    harness.source.set('a');
    await harness.caughtUp(handle);
    expect(keys).toEqual(['default/a', 'default/a']);
    first.remove();
    harness.source.set('b');
    await harness.caughtUp(handle);
    expect(keys).toEqual(['default/a', 'default/a', 'default/b']);
  });

  test('SI16 nothing reaches a handler after its removal, not even from inside its own call', async () => {
    await using harness = new Harness();
    for (const name of ['a', 'b', 'c']) harness.source.set(name);
    const handle = await harness.synced();
    const told = new Told(handle, () => told.registration.remove());
    await eventually(() => told.lines.length > 0);
    harness.source.set('d');
    await harness.caughtUp(handle);
    expect(told.lines).toEqual(['initial a']);
    await expect(told.registration.synced).rejects.toMatchObject({ code: 'REGISTRATION_REMOVED' });
  });

  test('SI19 a throwing handler gets later events, others are unaffected, synced still comes', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    const handle = harness.acquire();
    const bad = new Told(handle, () => {
      throw new Error('boom');
    });
    const rejecting = new Told(handle);
    handle.addEventHandler(() => Promise.reject(new Error('late boom')));
    await Promise.all([bad.registration.synced, rejecting.registration.synced]);
    harness.source.set('b');
    await harness.caughtUp(handle);
    await eventually(() => harness.observer.errors.length === 4);
    expect([bad.lines, rejecting.lines]).toEqual([
      ['initial a', 'added b'],
      ['initial a', 'added b'],
    ]);
    expect(harness.observer.of('handler error')).toHaveLength(4);
  });

  test('SI42 a handler finds the store at the version of its event', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    const handle = await harness.synced();
    const seen: string[] = [];
    const told = new Told(handle, ({ type }) =>
      seen.push(`${type} ${handle.store.resourceVersion}`),
    );
    await told.registration.synced;
    const versions = [harness.source.version];
    for (const name of ['b', 'a']) {
      harness.source.set(name);
      versions.push(harness.source.version);
    }
    harness.source.remove('a');
    versions.push(harness.source.version);
    await harness.caughtUp(handle);
    expect(seen).toEqual(
      ['added', 'added', 'updated', 'deleted'].map((type, at) => `${type} ${versions[at]}`),
    );
  });

  test('SI21 indexers come and go with handles', async () => {
    await using harness = new Harness();
    harness.source.set('a', { spec: { node: 'n1' } });
    const [first, second] = [await harness.synced(), await harness.synced()];
    const byNode = {
      name: 'node',
      body: ({ spec }: { spec?: { node?: string } }) => [spec?.node ?? ''],
    };
    first.addIndexer(byNode);
    second.addIndexer(byNode);
    first.release();
    const index = { name: 'node', value: 'n1' };
    expect(second.store.views({ index }).map(({ name }) => name)).toEqual(['a']);
    expect(harness.cache.inventory()[0]?.indices).toEqual([
      { name: 'node', over: 'body', values: 1 },
    ]);
    second.release();
    const third = await harness.synced();
    expect(() => third.store.views({ index })).toThrow(
      expect.objectContaining({ code: 'INDEX_UNKNOWN' }),
    );
  });

  test('SI41 a relist is told as a difference, after the store was replaced', async () => {
    await using harness = new Harness();
    for (const name of ['kept', 'changed', 'vanished']) harness.source.set(name);
    const handle = await harness.synced();
    const seen: string[][] = [];
    const told = new Told(handle, () => seen.push(namesIn(handle)));
    await told.registration.synced;
    told.events.length = 0;
    seen.length = 0;
    harness.missed(() => {
      harness.source.set('changed', { spec: { value: 2 } });
      harness.source.remove('vanished');
      harness.source.set('new');
    });
    await eventually(() => told.lines.length === 3);
    expect(told.lines).toEqual(['gone vanished', 'updated changed', 'added new']);
    expect(seen).toEqual(Array.from({ length: 3 }, () => ['changed', 'kept', 'new']));
  });

  test('SI49 an object that a relist no longer has is told with its last known state', async () => {
    await using harness = new Harness();
    harness.source.set('a', { spec: { value: 1 } });
    const handle = await harness.synced();
    const [first, second] = [new Told(handle), new Told(handle)];
    await Promise.all([first.registration.synced, second.registration.synced]);
    harness.missed(() => harness.source.remove('a'));
    await eventually(() => handle.store.size === 0);
    for (const { events, lines } of [first, second]) {
      expect(lines).toEqual(['initial a', 'gone a']);
      expect(events[1]).toMatchObject({ type: 'deleted', finalStateUnknown: true });
      expect(events[1]?.object.value().spec).toEqual({ value: 1 });
    }
  });

  test('SI50 delete and re-create under one name while the watch is down', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    const handle = await harness.synced();
    const told = new Told(handle);
    await told.registration.synced;
    harness.missed(() => {
      harness.source.remove('a');
      harness.source.set('a');
    });
    await eventually(() => told.lines.length === 3);
    expect(told.lines).toEqual(['initial a', 'gone a', 'added a']);
    expect(told.events.map(({ object }) => object.uid)).toEqual(['uid-1', 'uid-1', 'uid-2']);
  });

  test('the deletion of a successor that was never seen is told of the object that was', async () => {
    await using harness = new Harness();
    harness.source.set('a', { spec: { value: 1 } });
    const handle = await harness.synced();
    const told = new Told(handle);
    await told.registration.synced;
    harness.source.toFrame = (type, given) => {
      const object = given as Thing;
      const metadata = { ...object.metadata, uid: 'uid-of-the-successor' };
      return bytesFrame(type, { ...object, metadata, spec: { value: 2 } });
    };
    harness.source.remove('a');
    await harness.caughtUp(handle);
    const deleted = told.events[1];
    expect(deleted).toMatchObject({ type: 'deleted', finalStateUnknown: true });
    expect(deleted?.object.uid).toBe('uid-1');
    expect(deleted?.object.value().spec).toEqual({ value: 1 });
  });

  test('a deletion carries the last state, whoever looks at it whenever', async () => {
    await using harness = new Harness();
    harness.source.toFrame = bytesFrame;
    harness.source.set('a', { spec: { value: 1 } });
    const handle = await harness.synced();
    const told = new Told(handle);
    await told.registration.synced;
    harness.source.set('a', { spec: { value: 2 } });
    harness.source.remove('a');
    await harness.caughtUp(handle);
    const [added, updated, deleted] = told.events;
    expect(added?.object.value().spec).toEqual({ value: 1 });
    expect(updated).toMatchObject({ type: 'updated' });
    if (updated?.type === 'updated') expect(updated.previous).toBe(added?.object);
    expect(deleted?.object.value().spec).toEqual({ value: 2 });
    expect(deleted?.object.resourceVersion).toBe(harness.source.version);
    expect(handle.store.bytes).toBe(0);
  });

  test('an object that leaves a selector is told as deleted', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    const handle = await harness.synced({ labelSelector: 'app=web' });
    const told = new Told(handle);
    harness.source.remove('a');
    await harness.caughtUp(handle);
    expect(told.lines.at(-1)).toBe('deleted a');
  });

  test('long announcements and replays let the event loop turn', async () => {
    await using harness = new Harness();
    for (let n = 0; n < 400; n++) harness.source.set(`o${n}`);
    const handle = harness.acquire();
    const turns = new Turns();
    const announced = new Told(handle, busy);
    await announced.registration.synced;
    expect(turns.take()).toBeGreaterThan(4);
    const replayed = new Told(handle, busy);
    await replayed.registration.synced;
    expect(turns.take()).toBeGreaterThan(4);
    turns.stop();
  });

  test('SI36 hammer: whatever the order, every history is consistent and ends in the truth', async () => {
    await assert(
      asyncProperty(array(step, { maxLength: 80 }), async (steps) => {
        await using harness = new Harness();
        harness.source.toFrame = bytesFrame;
        const handle = harness.acquire();
        const first = new History();
        const histories = [first];
        handle.addEventHandler(first.handler);
        for (const { does, name } of steps) {
          if (does === 'join') {
            const history = new History();
            histories.push(history);
            handle.addEventHandler(history.handler);
          } else if (does === 'turn') {
            await new Promise((resolve) => setImmediate(resolve));
          } else {
            change(harness, does, name);
          }
        }
        const truth = harness.source.objects
          .map(
            ({ metadata = {} }) =>
              `default/${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`,
          )
          .toSorted();
        await harness.caughtUp(handle);
        await eventually(
          () => histories.every(({ state }) => isDeepStrictEqual(state, truth)),
          'the truth',
        );
        expect(histories.flatMap(({ complaints }) => complaints)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

const step = record({
  does: constantFrom('set', 'set', 'set', 'remove', 'expire', 'join', 'turn', 'turn'),
  name: constantFrom('a', 'b', 'c', 'd'),
});

function change(harness: Harness, does: string, name: string): void {
  const { source } = harness;
  if (does === 'set') source.set(name);
  else if (does === 'expire') harness.missed(() => source.set(name));
  else if (source.objects.some(({ metadata }) => metadata?.name === name)) source.remove(name);
}

/** A handler that takes its time. */
function busy(): void {
  const until = performance.now() + 0.1;
  while (performance.now() < until);
}

/** Counts how often the event loop turns. */
class Turns {
  #count = 0;
  #stopped = false;

  constructor() {
    this.#next();
  }

  take(): number {
    const count = this.#count;
    this.#count = 0;
    return count;
  }

  stop(): void {
    this.#stopped = true;
  }

  #next(): void {
    setImmediate(() => {
      this.#count++;
      if (!this.#stopped) this.#next();
    });
  }
}
