import { afterEach, describe, expect, test } from '@jest/globals';
import {
  createInformerCache,
  type InformerCache,
  type InformerCacheOptions,
} from './informer-cache.ts';
import type { InformerEvent } from './informer-event.ts';
import { eventually, ScriptedSource, Thing } from './scripted-source.test-support.ts';

const open: InformerCache[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((cache) => cache.close()));
});

function cacheOf(
  source: ScriptedSource,
  options: Partial<InformerCacheOptions> = {},
): InformerCache {
  const cache = createInformerCache({ listerWatcher: () => source, freeze: true, ...options });
  open.push(cache);
  return cache;
}

describe('informer cache', () => {
  test('syncs, reads, follows', async () => {
    const source = new ScriptedSource();
    source.set('a', { spec: { value: 1 } });
    const cache = cacheOf(source);
    const handle = cache.acquire({ resource: Thing }, { owner: 'test' });
    const events: InformerEvent<Thing>[] = [];
    const registration = handle.addEventHandler((event) => events.push(event));
    await registration.synced;
    expect(cache.get(Thing, { namespace: 'default', name: 'a' })?.spec).toEqual({ value: 1 });
    source.set('a', { spec: { value: 2 } });
    source.set('b');
    source.remove('a');
    await eventually(() => handle.store.resourceVersion === source.version);
    const stream = handle.events();
    expect((await stream.next()).value).toMatchObject({ type: 'added' });
    expect(events.map(({ type, key }) => `${type} ${key}`)).toEqual([
      'added default/a',
      'updated default/a',
      'added default/b',
      'deleted default/a',
    ]);
    handle.release();
  });
});
