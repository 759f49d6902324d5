import { describe, expect, test } from '@jest/globals';
import type { InformerObserver } from './contract/informer-observer.ts';
import { Harness, RecordingHandler } from './testing/harness.test-support.ts';
import { a, Thing } from './testing/scripted-source.test-support.ts';

/** Matches an error with this code and exactly these facts. */
function coded(code: string, facts: object): unknown {
  return expect.objectContaining({ code, facts });
}

describe('the facts of an error', () => {
  const resource = 'example.com/v1/things';

  test('name the index, the owner of a handle, and the kind and namespace of a read', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    const handle = await harness.synced({}, 'mine');
    const { cache } = harness;
    const index = { name: 'node', value: 'n1' };
    const unknown = coded('INDEX_UNKNOWN', { index: 'node' });
    expect(() => cache.list(Thing, { index })).toThrow(
      coded('INDEX_UNKNOWN', { index: 'node', resource }),
    );
    expect(() => handle.store.list({ index })).toThrow(unknown);
    expect(() => cache.get(Thing, { name: 'a' })).toThrow(
      coded('NAMESPACE_REQUIRED', { kind: 'Thing', name: 'a' }),
    );
    const recorded = new RecordingHandler(handle);
    recorded.registration.remove();
    await expect(recorded.registration.synced).rejects.toEqual(
      coded('REGISTRATION_REMOVED', { owner: 'mine' }),
    );
    const { store } = handle;
    handle.release();
    expect(() => store.get(a)).toThrow(coded('HANDLE_RELEASED', { owner: 'mine' }));
  });

  test('name the state of a watch that has not synced', async () => {
    await using harness = new Harness();
    harness.acquire();
    expect(() => harness.cache.get(Thing, a)).toThrow(
      coded('NOT_SYNCED', {
        resource,
        state: 'syncing',
        reason: expect.any(String),
      }),
    );
  });

  test('name the indexer or the transform that returned a wrong value', async () => {
    const errors: unknown[] = [];
    const observer: InformerObserver = {
      indexerError: (_watch, _indexer, error) => void errors.push(error),
      skipped: (_watch, _cause, error) => void errors.push(error),
    };
    await using harness = new Harness({ observer });
    harness.source.set('a');
    const indexers = [{ name: 'node', head: () => 5 as never }];
    await harness.acquire({ indexers }).synced;
    const transform = { name: 'empty', apply: () => undefined as never };
    await harness.acquire({ transform }).synced;
    const bare = { name: 'bare', apply: () => ({ spec: {} }) as never };
    await harness.acquire({ transform: bare }).synced;
    expect(errors).toEqual([
      coded('INDEXER_RESULT', { indexer: 'node' }),
      coded('TRANSFORM_RESULT', { transform: 'empty' }),
      coded('TRANSFORM_RESULT', { transform: 'bare' }),
    ]);
  });

  test('name the function, the resource and the watch of a conflict', async () => {
    await using harness = new Harness();
    const indexer = { name: 'node', head: (): string[] => [] };
    const transform = { name: 'same', apply: (thing: Thing) => thing };
    await harness.synced({ indexers: [indexer] });
    await harness.synced({ transform });
    const otherIndexer = { name: 'node', head: (): string[] => ['other'] };
    expect(() => harness.acquire({ indexers: [otherIndexer] })).toThrow(
      coded('INDEXER_CONFLICT', { indexer: 'node', resource, watch: '{ resource: Thing }' }),
    );
    const otherTransform = { name: 'same', apply: (thing: Thing) => ({ ...thing }) };
    expect(() => harness.acquire({ transform: otherTransform })).toThrow(
      coded('TRANSFORM_CONFLICT', {
        transform: 'same',
        resource,
        watch: '{ resource: Thing, transform: "same" }',
      }),
    );
  });
});
