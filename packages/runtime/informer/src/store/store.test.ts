import { describe, expect, test } from '@jest/globals';
import { jsonFormat, type Frame, type HeadPositions } from '@keelson/wire';
import { collectGarbage } from '../testing/collect-garbage.test-support.ts';
import { CandidateReader, type Candidate, type CandidateOptions } from './candidate.ts';
import { Memory } from '../memory/memory.ts';
import { ObjectForm, type StoredObject } from './stored-object.ts';
import { Store } from './store.ts';
import { a, bytesFrame, objectFrame, Thing } from '../testing/scripted-source.test-support.ts';

/** A store with the steps that an informer makes on it. */
class Bench {
  readonly memory: Memory;
  readonly store: Store;
  readonly reader: CandidateReader;
  readonly skipped: string[] = [];
  readonly indexerErrors: string[] = [];
  #version = 0;

  constructor(
    options: Partial<CandidateOptions> & { parsedBytes?: number; keepManagedFields?: boolean } = {},
  ) {
    this.memory = new Memory({ parsedBytes: options.parsedBytes ?? 1_000_000, freeze: true });
    this.store = new Store({
      resource: Thing,
      slabs: this.memory.slabs,
      now: () => performance.now(),
      onIndexerError: (indexer) => this.indexerErrors.push(indexer),
    });
    this.reader = new CandidateReader({
      form: new ObjectForm({
        resource: Thing,
        projection: 'full',
        memory: this.memory,
        keepManagedFields: options.keepManagedFields ?? false,
      }),
      transform: undefined,
      onUnreadable: () => undefined,
      onSkip: (cause) => this.skipped.push(cause),
      ...options,
    });
  }

  put(name: string, rest: object = {}, toFrame = bytesFrame): StoredObject {
    // As a handler that keeps its views receives it.
    return this.putUnseen(name, rest, toFrame).shown();
  }

  /** Stores an object that no user code receives. */
  putUnseen(name: string, rest: object = {}, toFrame = bytesFrame): StoredObject {
    const candidate = this.read(toFrame('ADDED', this.object(name, rest)));
    const object = this.store.upsert(candidate)?.object;
    if (object === undefined) throw new Error('not kept');
    return object;
  }

  read(frame: Frame): Candidate {
    const candidate = this.reader.read(frame);
    if (candidate === undefined) throw new Error('not read');
    return candidate;
  }

  object(name: string, { metadata = {}, ...rest }: { metadata?: object } = {}): object {
    const resourceVersion = String(++this.#version);
    return {
      metadata: {
        name,
        namespace: 'default',
        uid: `uid-${name}`,
        resourceVersion,
        managedFields: [{ manager: 'kubectl', fieldsV1: { 'f:spec': {} } }],
        ...metadata,
      },
      ...rest,
    };
  }
}

/** Updates 300 objects 10 000 times in random order, with a small and a large state in turns. */
function forEachUpdate(update: (name: string, rest: object, n: number) => void): void {
  let seed = 1;
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  for (let n = 0; n < 10_000; n++) {
    const filler = 'x'.repeat(n % 2 === 0 ? 200 : 10_000);
    update(`o${Math.floor(random() * 300)}`, { spec: { n, filler } }, n);
  }
}

describe('store', () => {
  test('keeps bytes and parses a body when it is read, without managedFields', () => {
    const bench = new Bench();
    const view = bench.put('a', { spec: { value: 1 } });
    expect(bench.store.bytes).toBeGreaterThan(0);
    expect(view).toMatchObject({ key: 'default/a', uid: 'uid-a', resourceVersion: '1' });
    expect(view.metadata.managedFields).toBeUndefined();
    expect(view.metadata.namespace).toBe('default');
    const value = bench.store.get(a);
    expect(value).toEqual({
      apiVersion: 'example.com/v1',
      kind: 'Thing',
      metadata: { name: 'a', namespace: 'default', uid: 'uid-a', resourceVersion: '1' },
      spec: { value: 1 },
    });
    expect(bench.store.get(a)).toBe(value);
  });

  test('can keep managedFields', () => {
    const bench = new Bench({ keepManagedFields: true });
    bench.put('a');
    expect(bench.store.get(a)?.metadata.managedFields).toHaveLength(1);
  });

  test('an object whose metadata a server has written twice has the metadata of its body', () => {
    const bench = new Bench();
    const metadata = { name: 'a', namespace: 'default', uid: 'uid-a', resourceVersion: '1' };
    const first = JSON.stringify({ ...metadata, labels: { of: 'the first' } });
    const last = JSON.stringify({ ...metadata, labels: { of: 'the last' } });
    const buffer = Buffer.from(`{"kind":"Thing","metadata":${first},"metadata":${last}}`);
    const frame: Frame = { type: 'ADDED', format: jsonFormat, buffer, from: 0, to: buffer.length };
    const view = bench.store.upsert(bench.read(frame))?.object?.shown();
    expect(view?.metadata.labels).toEqual({ of: 'the last' });
    expect(view?.value().metadata).toEqual(view?.metadata);
  });

  test('copies the bytes: the frame may be overwritten afterwards', () => {
    const bench = new Bench();
    const frame = bytesFrame('ADDED', bench.object('a', { spec: { value: 1 } } as object));
    const object = bench.read(frame).keep(bench.store);
    frame.buffer.fill(0);
    expect(object?.value()).toMatchObject({ spec: { value: 1 } });
    expect(object?.metadata.uid).toBe('uid-a');
  });

  test('stores plain objects too, and never changes them', () => {
    const transform = {
      name: 'strip',
      apply: <T extends object>(object: T): T => Object.assign(object, { spec: {} }),
    };
    const bench = new Bench({ transform });
    const source = bench.object('a', { spec: { value: 1 } } as object);
    const before = structuredClone(source);
    const object = bench.read(objectFrame('ADDED', source)).keep(bench.store);
    expect(source).toEqual(before);
    expect(object?.value()).toMatchObject({ kind: 'Thing', spec: {} });
    expect(object?.metadata.managedFields).toBeUndefined();
  });

  test('keeps a plain object without a copy if the watch has no transform', () => {
    const bench = new Bench({ keepManagedFields: true });
    const source = { apiVersion: 'example.com/v1', kind: 'Thing', ...bench.object('a') };
    expect(bench.read(objectFrame('ADDED', source)).keep(bench.store)?.value()).toBe(source);
  });

  test('retain "object" parses on arrival and keeps no bytes', () => {
    const bench = new Bench();
    bench.store.content.retainAs('object');
    const view = bench.put('a', { spec: { value: 1 } });
    expect(bench.store.bytes).toBe(0);
    expect(view.value()).toBe(view.value());
    expect(view.value().metadata.managedFields).toBeUndefined();
  });

  test('uses the positions that a frame carries instead of scanning', () => {
    const bench = new Bench();
    const frame = bytesFrame('ADDED', bench.object('a'));
    const positions: HeadPositions = frame.format?.positions() ?? ({} as HeadPositions);
    frame.format?.scan(frame.buffer, frame.from, frame.to, positions);
    let scans = 0;
    const format = Object.create(frame.format ?? null) as NonNullable<Frame['format']>;
    format.scan = () => {
      scans++;
    };
    format.identity = (...args) => jsonFormat.identity(...args);
    const candidate = bench.read({ ...frame, format, positions });
    expect(scans).toBe(0);
    expect(candidate).toMatchObject(a);
  });

  test('bytes that do not parse are skipped and counted, and use no memory', () => {
    const bench = new Bench();
    const buffer = Buffer.from('{"metadata":{"name"');
    const frame = { ...bytesFrame('ADDED', {}), buffer, from: 0, to: buffer.length };
    expect(bench.reader.read(frame)).toBeUndefined();
    expect(bench.skipped).toEqual(['malformed']);
  });

  test('a transform that throws skips the object and does not stop the watch', () => {
    const bench = new Bench({
      transform: {
        name: 'broken',
        apply: () => {
          throw new Error('boom');
        },
      },
    });
    const candidate = bench.read(bytesFrame('ADDED', bench.object('a')));
    expect(candidate.keep(bench.store)).toBeUndefined();
    expect(bench.skipped).toEqual(['transform']);
  });

  test('values and metadata are deeply frozen with the option freeze', () => {
    const bench = new Bench();
    const view = bench.put('a', { spec: { list: [{ x: 1 }] } });
    const { spec } = view.value() as unknown as { spec: { list: object[] } };
    expect(() => Object.assign(spec.list[0] ?? {}, { x: 2 })).toThrow(TypeError);
    expect(() => Object.assign(view.metadata, { uid: 'other' })).toThrow(TypeError);
  });

  test('an old view keeps its state, head and body after later changes of the store', () => {
    const bench = new Bench();
    const read = bench.put('a', { spec: { value: 1 } });
    const parsed = read.value();
    const unread = bench.put('a', { spec: { value: 2 } });
    for (let n = 3; n < 2_000; n++) bench.put('a', { spec: { value: n, filler: 'x'.repeat(500) } });
    expect(bench.memory.bodies.take(read)).toBeUndefined();
    expect(read.value()).toBe(parsed);
    expect(unread.value()).toMatchObject({ spec: { value: 2 } });
    expect(unread.value()).toBe(unread.value());
    expect(bench.memory.bodies.take(unread)).toBeUndefined();
    expect(unread.metadata.resourceVersion).toBe('2');
  });

  test('an old view keeps its state when memory is reused', async () => {
    const bench = new Bench();
    const filler = 'x'.repeat(4_000);
    const stale = Array.from({ length: 400 }, (_, n) =>
      bench.put(`o${n}`, { spec: { n, filler } }),
    );
    const { slabs } = bench.memory;
    const churn = (): void => {
      for (let n = 0; n < 4_000; n++) bench.put(`o${n % 400}`, { spec: { n: -n, filler } });
    };
    churn();
    await collectGarbage(() => slabs.free > 0);
    const free = slabs.free;
    churn();
    expect(slabs.free).toBeLessThan(free);
    for (const [n, view] of stale.entries()) expect(view.value()).toMatchObject({ spec: { n } });
  });

  test('allocated memory stays close to the live bytes when updates alternate sizes', () => {
    const bench = new Bench();
    const { content } = bench.store;
    forEachUpdate((name, rest) => bench.putUnseen(name, rest));
    expect(content.allocated).toBeLessThan(content.live * 1.6 + 256 * 1024);
    const views = bench.store.views();
    expect(content.live).toBe(views.reduce((sum, view) => sum + view.byteLength, 0));
    for (const view of views) bench.store.delete(view);
    expect(content.live).toBe(0);
    expect(content.allocated).toBe(0);
  });

  test('allocated memory is close to the live bytes after a garbage collection if user code saw all states', async () => {
    const bench = new Bench();
    const { content } = bench.store;
    const kept: StoredObject[] = [];
    forEachUpdate((name, rest, n) => {
      const view = bench.put(name, rest);
      if (n % 10 === 0) kept.push(view);
    });
    const isClose = (): boolean => content.allocated < content.live * 1.6 + 256 * 1024;
    expect(isClose()).toBe(false);
    expect(bench.memory.slabs.pinned).toBeGreaterThan(
      content.allocated - content.live - 512 * 1024,
    );
    await collectGarbage(isClose);
    expect(isClose()).toBe(true);
    const { slabs } = bench.memory;
    while (slabs.free > 0) slabs.take(256 * 1024).fill('x');
    // The views that were kept have copies of their bytes.
    expect(slabs.pinned).toBeLessThan(6_000_000);
    for (const [at, view] of kept.entries())
      expect(view.value()).toMatchObject({ spec: { n: at * 10 } });
    expect(bench.store.views().every((view) => view.value().kind === 'Thing')).toBe(true);
  });

  test('the objects of a list that arrived move to other memory too when most of the list was replaced', async () => {
    const bench = new Bench();
    const { store } = bench;
    const stage = store.stage();
    const filler = 'x'.repeat(4_000);
    const specOf = (n: number): object => ({ spec: { n, filler } });
    for (let n = 0; n < 400; n++) {
      stage.put(bench.read(bytesFrame('ADDED', bench.object(`o${n}`, specOf(n)))));
    }
    for (const { object } of store.swap(stage, '400')) object?.shown();
    const { content } = store;
    for (let n = 0; n < 400; n++) if (n % 5 > 0) bench.put(`o${n}`, specOf(n));
    const isClose = (): boolean => content.allocated < content.live * 1.6 + 256 * 1024;
    expect(isClose()).toBe(false);
    await collectGarbage(isClose);
    expect(isClose()).toBe(true);
    for (let n = 0; n < 400; n++) {
      const view = store.view({ namespace: 'default', name: `o${n}` });
      expect(view?.value()).toMatchObject({ spec: { n } });
    }
  });

  test('a store that was cleared allocates new memory, and does not write to the old one', () => {
    const bench = new Bench();
    const { store } = bench;
    store.delete(bench.put('a'));
    expect(store.content.allocated).toBe(0);
    const view = bench.put('b', { spec: { value: 2 } });
    expect(store.content.allocated).toBe(8 * 1024);
    expect(store.bytes).toBe(view.byteLength);
  });

  test('an object larger than a slab has its own block', () => {
    const bench = new Bench();
    const filler = 'x'.repeat(2 * 1024 * 1024);
    const view = bench.put('big', { spec: { filler } });
    bench.put('a');
    expect(view.value()).toMatchObject({ spec: { filler } });
    bench.store.delete(view);
    expect(bench.store.content.allocated).toBe(256 * 1024);
  });

  test('the bytes of parsed bodies are limited, and the last read ones are kept', () => {
    const bench = new Bench({ parsedBytes: 3_500 });
    for (const name of ['a', 'b', 'c', 'd']) bench.put(name, { spec: { filler: 'x'.repeat(900) } });
    const read = (name: string): unknown => bench.store.get({ namespace: 'default', name });
    const [first, last] = [read('a'), (read('b'), read('c'), read('d'))];
    expect(read('d')).toBe(last);
    expect(read('a')).not.toBe(first);
    expect(read('a')).toEqual(first);
  });
});

describe('indices', () => {
  const byNode = {
    name: 'node',
    body: (object: unknown) => {
      const node = (object as Thing).spec?.node;
      return node === undefined ? [] : node.split('+');
    },
  };

  function names(found: readonly StoredObject[]): string[] {
    return found.map(({ name }) => name).toSorted();
  }

  function at(bench: Bench, value: string): string[] {
    return names(bench.store.views({ index: { name: 'node', value } }));
  }

  test('SI21 an indexer added late indexes existing objects at once', () => {
    const bench = new Bench();
    bench.put('a', { spec: { node: 'n1' } });
    bench.store.addIndexer(byNode, {});
    bench.put('b', { spec: { node: 'n1' } });
    expect(at(bench, 'n1')).toEqual(['a', 'b']);
  });

  test('SI43 values of an object may change, be several, or be empty', () => {
    const bench = new Bench();
    bench.store.addIndexer(byNode, {});
    bench.put('a', { spec: { node: 'n1+n2' } });
    expect([at(bench, 'n1'), at(bench, 'n2')]).toEqual([['a'], ['a']]);
    bench.put('a', { spec: { node: 'n3' } });
    expect([at(bench, 'n1'), at(bench, 'n3')]).toEqual([[], ['a']]);
    const view = bench.store.view(a);
    if (view !== undefined) bench.store.delete(view);
    expect(at(bench, 'n3')).toEqual([]);
    for (let n = 0; n < 1_000; n++) bench.put('a', { spec: { node: `n${n}` } });
    expect(bench.store.indices[0]?.size).toBe(1);
  });

  test('SI45 an indexer that throws removes the entry, not the object', () => {
    const bench = new Bench();
    bench.store.addIndexer(
      {
        name: 'node',
        head: () => {
          throw new Error('boom');
        },
      },
      {},
    );
    bench.put('a');
    expect(bench.store.has(a)).toBe(true);
    expect(bench.indexerErrors).toEqual(['node']);
  });

  test('an indexer may change the array that it returned', () => {
    const bench = new Bench();
    const values = ['n1', 'n2'];
    bench.store.addIndexer({ name: 'node', head: () => values }, {});
    const view = bench.put('a');
    values.fill('n3');
    bench.store.delete(view);
    expect(at(bench, 'n1')).toEqual([]);
    expect(at(bench, 'n2')).toEqual([]);
  });

  test('an index over the head parses no body', () => {
    const bench = new Bench();
    bench.store.addIndexer({ name: 'node', head: (view) => [view.metadata.uid] }, {});
    const view = bench.put('a');
    expect(at(bench, 'uid-a')).toEqual(['a']);
    expect(bench.memory.bodies.take(view)).toBeUndefined();
  });

  test('an index is removed with its last registration', () => {
    const bench = new Bench();
    const [first, second] = [{}, {}];
    bench.store.addIndexer(byNode, first);
    bench.store.addIndexer(byNode, second);
    bench.store.removeIndexer(byNode, first);
    bench.store.removeIndexer(byNode, first);
    expect(at(bench, 'n1')).toEqual([]);
    bench.store.removeIndexer(byNode, second);
    expect(() => at(bench, 'n1')).toThrow(expect.objectContaining({ code: 'INDEX_UNKNOWN' }));
  });

  test('another indexer of the same name is rejected; another object with the same function is accepted', () => {
    const bench = new Bench();
    bench.store.addIndexer(byNode, {});
    const other = { name: 'node', body: () => [] };
    expect(() => bench.store.addIndexer(other, {})).toThrow(
      expect.objectContaining({ code: 'INDEXER_CONFLICT' }),
    );
    bench.store.addIndexer({ ...byNode }, {});
  });

  test('a swap keeps the indices, also one that was added after the stage', () => {
    const bench = new Bench();
    bench.store.addIndexer(byNode, {});
    bench.put('a', { spec: { node: 'n1' } });
    const stage = bench.store.stage();
    const late = { name: 'uid', head: ({ uid }: { uid: string }) => [uid] };
    bench.store.addIndexer(late, {});
    const added = bench.object('b', { spec: { node: 'n1' } } as object);
    stage.put(bench.read(bytesFrame('ADDED', added)));
    expect(at(bench, 'n1')).toEqual(['a']);
    expect([...bench.store.swap(stage, '9')]).toHaveLength(2);
    expect(at(bench, 'n1')).toEqual(['b']);
    expect(names(bench.store.views({ index: { name: 'uid', value: 'uid-b' } }))).toEqual(['b']);
  });

  test('KR15, KR16 lists by namespace, labels and fields, with and without an index', () => {
    const bench = new Bench();
    bench.store.addIndexer(byNode, {});
    const labels = { app: 'web' };
    bench.put('a', { metadata: { labels }, spec: { node: 'n1', value: 1 } });
    bench.put('b', { metadata: { labels, namespace: 'other' }, spec: { node: 'n1', value: 2 } });
    bench.put('c', { spec: { node: 'n1', value: 2 } });
    const list = (options: Parameters<Store['views']>[0]): string[] =>
      names(bench.store.views(options));
    expect(list({})).toEqual(['a', 'b', 'c']);
    expect(list({ namespace: 'default' })).toEqual(['a', 'c']);
    expect(list({ namespace: 'nowhere' })).toEqual([]);
    expect(list({ labelSelector: 'app in (web)' })).toEqual(['a', 'b']);
    expect(list({ fieldSelector: 'spec.value=2' })).toEqual(['b', 'c']);
    expect(list({ fieldSelector: 'metadata.name!=c', namespace: 'default' })).toEqual(['a']);
    const index = { name: 'node', value: 'n1' };
    expect(list({ index, namespace: 'default', labelSelector: '!app' })).toEqual(['c']);
    expect(() => list({ labelSelector: 'a b' })).toThrow(
      expect.objectContaining({ code: 'INVALID_LABEL_SELECTOR' }),
    );
  });
});

describe('stage', () => {
  test('SI41 emits deleted, changed and new objects, and keeps unchanged ones', () => {
    const bench = new Bench();
    const [kept] = [bench.put('kept'), bench.put('changed'), bench.put('vanished')];
    const stage = bench.store.stage();
    const read = (frame: Frame): void => {
      stage.put(bench.read(frame));
    };
    read(bytesFrame('ADDED', bench.object('kept', { metadata: { resourceVersion: '1' } })));
    read(bytesFrame('ADDED', bench.object('changed')));
    read(bytesFrame('ADDED', bench.object('new')));
    expect(names(bench.store.views())).toEqual(['changed', 'kept', 'vanished']);
    const differences = [...bench.store.swap(stage, '9')].map(
      ({ previous, object }) => `${previous?.name} -> ${object?.name}`,
    );
    expect(differences).toEqual([
      'vanished -> undefined',
      'changed -> changed',
      'undefined -> new',
    ]);
    expect(bench.store.view({ namespace: 'default', name: 'kept' })).toBe(kept);
    expect(bench.store.resourceVersion).toBe('9');
    const live = bench.store.views().reduce((sum, view) => sum + view.byteLength, 0);
    expect(bench.store.bytes).toBe(live);
  });

  test('an interrupted list loses no object', () => {
    const bench = new Bench();
    const view = bench.put('a', { spec: { value: 1 } });
    const stage = bench.store.stage();
    stage.put(bench.read(bytesFrame('ADDED', bench.object('a'))));
    stage.delete(bench.read(bytesFrame('DELETED', bench.object('a'))));
    expect(bench.store.view(a)).toBe(view);
    expect(view.value()).toMatchObject({ spec: { value: 1 } });
    expect(bench.store.bytes).toBe(view.byteLength);
  });

  function names(views: readonly StoredObject[]): string[] {
    return views.map(({ name }) => name).toSorted();
  }
});
