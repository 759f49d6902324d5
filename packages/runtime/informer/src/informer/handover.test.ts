import { describe, expect, test } from '@jest/globals';
import { createInformerCache, type InformerCache } from '../cache/informer-cache.ts';
import { RecordingHandler } from '../testing/harness.test-support.ts';
import { eventually, Thing } from '../testing/scripted-source.test-support.ts';
import { VersionedServer } from '../testing/versioned-server.test-support.ts';
import type { WatchHandle } from '../contract/watch-handle.ts';
import type { NormalQuery } from '../contract/watch-query.ts';

const isWide = ({ namespace }: NormalQuery): boolean => namespace === undefined;
const names = Array.from({ length: 20 }, (_, at) => `o${at}`);

/** A cache with a clock that moves only in `move`, where each reading takes a whole slice. */
class Setup implements AsyncDisposable {
  readonly server: VersionedServer = new VersionedServer();
  readonly cache: InformerCache;
  #now = 0;
  #isSliced = false;

  constructor() {
    this.cache = createInformerCache({
      listerWatcher: this.server.listerWatcher,
      now: () => (this.#isSliced ? (this.#now += 5) : this.#now),
    });
    for (const name of names) this.server.set(name);
  }

  acquire(query: { readonly namespace?: string } = {}): WatchHandle<Thing> {
    return this.cache.acquire({ resource: Thing, ...query }, { owner: 'test' });
  }

  /**
   * Moves the handlers of a namespace to a wider watch, which has changes that they have not seen.
   * Returns while the move runs, object by object.
   */
  async move(
    change = (name: string): void => void this.server.set(name, { value: 1 }),
  ): Promise<{ recorded: RecordingHandler; narrow: WatchHandle<Thing> }> {
    const { server } = this;
    const narrow = this.acquire({ namespace: 'n1' });
    const recorded = new RecordingHandler(narrow);
    await recorded.registration.synced;
    recorded.events.length = 0;
    server.isHeld = true;
    for (const name of names) change(name);
    const wide = this.acquire();
    await wide.synced;
    this.#isSliced = true;
    await eventually(() => recorded.events.length === 3);
    expect(narrow.identity).toBe(wide.identity);
    server.isHeld = false;
    return { recorded, narrow };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cache.close();
  }
}

function versionsOf({ events }: RecordingHandler, name: string): string[] {
  return events
    .filter(({ object }) => object.name === name)
    .map(({ type, object }) => `${type} ${object.resourceVersion}`);
}

describe('a move between two watches that runs in slices', () => {
  test('delivers live changes of compared and of other objects once, in order', async () => {
    await using setup = new Setup();
    const { server } = setup;
    const { recorded, narrow } = await setup.move();
    server.set('o0', { value: 2 });
    server.set('o19', { value: 2 });
    server.set('o19', { value: 3 });
    server.remove('o18');
    server.set('new');
    server.set('new', { value: 1 });
    server.remove('o17');
    server.set('o17');
    await eventually(() => narrow.store.resourceVersion === String(server.version));
    await eventually(() => recorded.events.length >= 23);
    server.set('o1', { value: 9 });
    server.set('o19', { value: 9 });
    await eventually(() => narrow.store.resourceVersion === String(server.version));
    expect(versionsOf(recorded, 'o0')).toEqual(['updated 22', 'updated 42']);
    expect(versionsOf(recorded, 'o1')).toEqual(['updated 23', 'updated 50']);
    expect(versionsOf(recorded, 'o18')).toEqual(['deleted 20']);
    expect(versionsOf(recorded, 'o17')).toEqual(['deleted 19', 'added 49']);
    for (const name of ['new', 'o19']) {
      const seen = versionsOf(recorded, name).map((line) => Number(line.split(' ')[1]));
      expect(seen).toEqual([...new Set(seen)].toSorted((a, b) => a - b));
    }
    expect(versionsOf(recorded, 'o19').at(-1)).toBe('updated 51');
  });

  test('delivers the creation and the deletion of an object that was compared as deleted', async () => {
    await using setup = new Setup();
    const { server } = setup;
    const { recorded, narrow } = await setup.move((name) => server.remove(name));
    server.set('o0');
    server.remove('o0');
    await eventually(() => narrow.store.resourceVersion === String(server.version));
    await eventually(() => recorded.events.length === names.length + 2);
    expect(versionsOf(recorded, 'o0')).toEqual(['deleted 2', 'added 42', 'deleted 43']);
  });

  test('delivers the differences of a relist during the move once', async () => {
    await using setup = new Setup();
    const { server } = setup;
    const { recorded, narrow } = await setup.move();
    const stream = server.streamOf(isWide);
    server.isHeld = true;
    // Few objects remain, so the relist ends before the move.
    for (const name of names.slice(2)) server.remove(name);
    server.set('o0', { value: 2 });
    server.compact();
    server.isHeld = false;
    server.fail(stream, 410);
    await eventually(() => narrow.store.size === 2);
    expect(recorded.events.length).toBeLessThan(names.length);
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(versionsOf(recorded, 'o0')).toEqual(['updated 22', 'updated 60']);
    for (const name of names.slice(2)) {
      const lines = versionsOf(recorded, name).map((line) => line.split(' ')[0]);
      expect(lines.join()).toMatch(/^(updated,)?deleted$/);
    }
    expect(versionsOf(recorded, 'o19')).toEqual(['deleted 21']);
  });

  test('CT47 delivers an own write that a relist during the move passes', async () => {
    await using setup = new Setup();
    const { server, cache } = setup;
    const { recorded, narrow } = await setup.move();
    const stream = server.streamOf(isWide);
    server.isHeld = true;
    for (const name of ['new', 'o19']) {
      cache.written(Thing, structuredClone(server.set(name, { value: 9 })));
    }
    for (const name of ['new', ...names.slice(2)]) server.remove(name);
    server.compact();
    server.isHeld = false;
    server.fail(stream, 410);
    await eventually(() => narrow.store.size === 2);
    expect(recorded.events.length).toBeLessThan(names.length);
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(versionsOf(recorded, 'new')).toEqual(['added 42', 'deleted 42']);
    expect(versionsOf(recorded, 'o19')).toEqual(['deleted 21']);
  });

  test('ends when the handle is released', async () => {
    await using setup = new Setup();
    const { recorded, narrow } = await setup.move();
    const { length } = recorded.events;
    narrow.release();
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(recorded.events).toHaveLength(length);
  });

  test('gives a handler that is added during the move a snapshot of its own', async () => {
    await using setup = new Setup();
    const { narrow } = await setup.move();
    const late = new RecordingHandler(narrow);
    await late.registration.synced;
    expect(late.lines.toSorted()).toEqual(names.map((name) => `initial ${name}`).toSorted());
  });
});
