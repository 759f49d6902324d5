import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { array, assert, asyncProperty, constantFrom, record } from 'fast-check';
import { History } from '../testing/history.test-support.ts';
import type { InformerEvent } from '../contract/informer-event.ts';
import { Harness, namesIn, RecordingHandler } from '../testing/harness.test-support.ts';
import {
  a,
  bytesFrame,
  eventually,
  failing,
  statusError,
  Thing,
} from '../testing/scripted-source.test-support.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

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
    const recorded = new RecordingHandler(handle);
    await recorded.registration.synced;
    expect(recorded.events[0]?.object.value().spec).toEqual({ value: 7 });
    expect(handle.store.get(a)?.spec).toEqual({ value: 7 });
  });

  test('SI08 handlers are removed one by one', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    const [first, second] = [new RecordingHandler(handle), new RecordingHandler(handle)];
    first.registration.remove();
    harness.source.set('a');
    await harness.caughtUp(handle);
    second.registration.remove();
    harness.source.set('b');
    await harness.caughtUp(handle);
    expect([first.lines, second.lines]).toEqual([[], ['added a']]);
  });

  test('SI09 SI11 removing the handler of another handle, or one twice, has no effect', async () => {
    await using harness = new Harness();
    const [mine, other] = [await harness.synced(), await harness.synced()];
    const recorded = new RecordingHandler(mine);
    const foreign = new RecordingHandler(other);
    foreign.registration.remove();
    foreign.registration.remove();
    other.release();
    foreign.registration.remove();
    harness.source.set('a');
    await harness.caughtUp(mine);
    expect(recorded.lines).toEqual(['added a']);
  });

  test('SI10 one function registered twice is called twice and removed one at a time', async () => {
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

  test('SI16 a handler receives no event after its removal, not even during its own call', async () => {
    await using harness = new Harness();
    for (const name of ['a', 'b', 'c']) harness.source.set(name);
    const handle = await harness.synced();
    const recorded = new RecordingHandler(handle, () => recorded.registration.remove());
    await eventually(() => recorded.lines.length > 0);
    harness.source.set('d');
    await harness.caughtUp(handle);
    expect(recorded.lines).toEqual(['initial a']);
    await expect(recorded.registration.synced).rejects.toMatchObject({
      code: 'REGISTRATION_REMOVED',
    });
  });

  test('SI19 a throwing handler receives later events, others are unaffected, synced still resolves', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    const handle = harness.acquire();
    const bad = new RecordingHandler(handle, () => {
      throw new Error('boom');
    });
    const rejecting = new RecordingHandler(handle);
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

  test('SI42 a handler reads the store at the version of its event', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    const handle = await harness.synced();
    const seen: string[] = [];
    const recorded = new RecordingHandler(handle, ({ type }) =>
      seen.push(`${type} ${handle.store.resourceVersion}`),
    );
    await recorded.registration.synced;
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

  test('SI21 indexers are added and removed with handles', async () => {
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

  test('SI41 a relist emits the differences after it has replaced the store', async () => {
    await using harness = new Harness();
    for (const name of ['kept', 'changed', 'vanished']) harness.source.set(name);
    const handle = await harness.synced();
    const seen: string[][] = [];
    const recorded = new RecordingHandler(handle, () => seen.push(namesIn(handle)));
    await recorded.registration.synced;
    recorded.events.length = 0;
    seen.length = 0;
    harness.missed(() => {
      harness.source.set('changed', { spec: { value: 2 } });
      harness.source.remove('vanished');
      harness.source.set('new');
    });
    await eventually(() => recorded.lines.length === 3);
    expect(recorded.lines).toEqual(['gone vanished', 'updated changed', 'added new']);
    expect(seen).toEqual(Array.from({ length: 3 }, () => ['changed', 'kept', 'new']));
  });

  test('SI49 an object that a relist omits is deleted with its last known state', async () => {
    await using harness = new Harness();
    harness.source.set('a', { spec: { value: 1 } });
    const handle = await harness.synced();
    const [first, second] = [new RecordingHandler(handle), new RecordingHandler(handle)];
    await Promise.all([first.registration.synced, second.registration.synced]);
    harness.missed(() => harness.source.remove('a'));
    await eventually(() => handle.store.size === 0);
    for (const { events, lines } of [first, second]) {
      expect(lines).toEqual(['initial a', 'gone a']);
      expect(events[1]).toMatchObject({ type: 'deleted', finalStateUnknown: true });
      expect(events[1]?.object.value().spec).toEqual({ value: 1 });
    }
  });

  test('SI50 an object that is deleted and created again while the watch is down is deleted, then added', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    const handle = await harness.synced();
    const recorded = new RecordingHandler(handle);
    await recorded.registration.synced;
    harness.missed(() => {
      harness.source.remove('a');
      harness.source.set('a');
    });
    await eventually(() => recorded.lines.length === 3);
    expect(recorded.lines).toEqual(['initial a', 'gone a', 'added a']);
    expect(recorded.events.map(({ object }) => object.uid)).toEqual(['uid-1', 'uid-1', 'uid-2']);
  });

  test('the deletion of an object that never arrived emits the deletion of its predecessor', async () => {
    await using harness = new Harness();
    harness.source.set('a', { spec: { value: 1 } });
    const handle = await harness.synced();
    const recorded = new RecordingHandler(handle);
    await recorded.registration.synced;
    harness.source.toFrame = (type, given) => {
      const object = given as Thing;
      const metadata = { ...object.metadata, uid: 'uid-of-the-successor' };
      return bytesFrame(type, { ...object, metadata, spec: { value: 2 } });
    };
    harness.source.remove('a');
    await harness.caughtUp(handle);
    const deleted = recorded.events[1];
    expect(deleted).toMatchObject({ type: 'deleted', finalStateUnknown: true });
    expect(deleted?.object.uid).toBe('uid-1');
    expect(deleted?.object.value().spec).toEqual({ value: 1 });
  });

  test('a deletion carries the last state, for every reader at any time', async () => {
    await using harness = new Harness();
    harness.source.toFrame = bytesFrame;
    harness.source.set('a', { spec: { value: 1 } });
    const handle = await harness.synced();
    const recorded = new RecordingHandler(handle);
    await recorded.registration.synced;
    harness.source.set('a', { spec: { value: 2 } });
    harness.source.remove('a');
    await harness.caughtUp(handle);
    const [added, updated, deleted] = recorded.events;
    expect(added?.object.value().spec).toEqual({ value: 1 });
    expect(updated).toMatchObject({ type: 'updated' });
    if (updated?.type === 'updated') expect(updated.previous).toBe(added?.object);
    expect(deleted?.object.value().spec).toEqual({ value: 2 });
    expect(deleted?.object.resourceVersion).toBe(harness.source.version);
    expect(handle.store.bytes).toBe(0);
  });

  test('an object that no longer matches the selector is emitted as deleted', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    const handle = await harness.synced({ labelSelector: 'app=web' });
    const recorded = new RecordingHandler(handle);
    harness.source.remove('a');
    await harness.caughtUp(handle);
    expect(recorded.lines.at(-1)).toBe('deleted a');
  });

  test('long deliveries and replays let the event loop turn', async () => {
    await using harness = new Harness();
    for (let n = 0; n < 400; n++) harness.source.set(`o${n}`);
    const handle = harness.acquire();
    const turns = new Turns();
    const announced = new RecordingHandler(handle, busy);
    await announced.registration.synced;
    expect(turns.take()).toBeGreaterThan(4);
    const replayed = new RecordingHandler(handle, busy);
    await replayed.registration.synced;
    expect(turns.take()).toBeGreaterThan(4);
    turns.stop();
  });

  test('SI36 random operations keep every history consistent and end in the state of the server', async () => {
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
      { numRuns: Math.ceil(300 * multiple) },
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

/** Blocks the thread, as a slow handler does. */
function busy(): void {
  const until = performance.now() + 0.1;
  while (performance.now() < until);
}

/** Counts the turns of the event loop. */
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
