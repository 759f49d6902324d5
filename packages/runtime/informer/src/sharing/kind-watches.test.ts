import { describe, expect, test } from '@jest/globals';
import { Harness, namesIn, withCode } from '../testing/harness.test-support.ts';
import {
  eventually,
  failing,
  silence,
  statusError,
  Thing,
} from '../testing/scripted-source.test-support.ts';

describe('two watches of one kind', () => {
  test('the remaining one serves reads after the other has ended', async () => {
    await using harness = new Harness({ linger: 0 });
    harness.source.set('a');
    const [ending, other] = [await harness.synced({ namespace: 'x' }), await harness.synced()];
    ending.release();
    await eventually(() => harness.source.openRequests === 1);
    expect(harness.cache.list(Thing)).toHaveLength(1);
    harness.source.set('b');
    await harness.caughtUp(other);
    expect(namesIn(other)).toEqual(['a', 'b']);
    expect(harness.cache.inventory()).toHaveLength(1);
    other.release();
    expect(() => harness.cache.list(Thing)).toThrow(withCode('NOT_WATCHED'));
  });

  test('the remaining one still rejects other functions of the same transform or indexer name', async () => {
    await using harness = new Harness({ linger: 0 });
    const transform = { name: 'same', apply: (object: Thing) => object };
    const indexers = [{ name: 'uid', head: ({ uid }: { uid: string }) => [uid] }];
    const query = { transform, indexers };
    const ending = await harness.synced({ namespace: 'x', ...query });
    await harness.synced(query);
    ending.release();
    const others = { name: 'same', apply: (object: Thing) => ({ ...object }) };
    const watch = '{ resource: Thing, transform: "same" }';
    expect(() => harness.acquire({ namespace: 'y', transform: others })).toThrow(
      expect.objectContaining({
        code: 'TRANSFORM_CONFLICT',
        facts: expect.objectContaining({ watch }),
      }),
    );
    const index = { name: 'uid', head: () => [] };
    expect(() => harness.acquire({ namespace: 'y', indexers: [index] })).toThrow(
      expect.objectContaining({
        code: 'INDEXER_CONFLICT',
        facts: expect.objectContaining({ watch }),
      }),
    );
  });

  test('the remaining one retries when the kind is reported as served', async () => {
    await using harness = new Harness({ linger: 0 });
    const ending = await harness.synced({ namespace: 'x' });
    const notFound = (): AsyncGenerator<never> => failing(statusError(404, 'NotFound'));
    harness.source.watchScripts.push(notFound);
    harness.source.listScripts.push(notFound);
    const parked = harness.acquire();
    await eventually(() => parked.health.state === 'parked');
    ending.release();
    harness.cache.served(Thing);
    await eventually(() => parked.health.state === 'live');
  });

  test('a wait for sync ends when the watch of another query takes over the one that does not sync', async () => {
    await using harness = new Harness();
    harness.source.watchScripts.push(silence);
    const narrow = harness.acquire({ namespace: 'x' });
    await eventually(() => harness.source.count('watch') === 1);
    const waiting = harness.cache.waitForSync({ timeout: '1h' });
    harness.acquire();
    await waiting;
    expect(narrow.health.state).toBe('live');
  });
});
