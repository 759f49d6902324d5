import { expect, test } from '@jest/globals';
import {
  bytesFrame,
  Other,
  ScriptedSource,
  Thing,
} from '../testing/scripted-source.test-support.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';
import type { ListerWatcher } from '@keelson/informer';

stopTheClock();

/** A source with Things of 2 KB. */
function things(count: number): ScriptedSource {
  const source = new ScriptedSource();
  source.toFrame = bytesFrame;
  for (let n = 0; n < count; n++) {
    source.set(`thing-${n}`, { spec: { value: n, node: 'x'.repeat(2_000) } });
  }
  return source;
}

test('the code of the guide keeps a kind compressed, and the metadata of another', async () => {
  const source = things(100);
  await using cache = createInformerCache({ listerWatcher: () => source });
  const { large, heads } = acquire(cache);
  await pass(1_000);
  const facts = printMemory(cache);
  expect(facts).toEqual([
    expect.stringMatching(/^example.com\/v1\/things: 100 objects, compressed, \d+ bytes$/),
    expect.stringMatching(/^example.com\/v1\/others: 0 objects, metadata, 0 bytes$/),
  ]);
  expect(large.store.bytes).toBeLessThan(20_000);
  expect(large.store.list()).toHaveLength(100);
  expect(heads.store.list()).toEqual([]);
});

test('the code of the guide limits the memory, and reads what is kept', async () => {
  const source = things(100);
  await using cache = limited(source);
  cache.acquire({ resource: Thing }, { owner: 'test' });
  await pass(2_000);
  expect(printBudgets(cache)).toEqual([
    expect.stringMatching(/^all: \d+ of 1073741824 bytes$/),
    expect.stringMatching(/^example.com\/v1\/things: \d+ of 104857 bytes$/),
  ]);
  expect(valueOf(cache, 'thing-7')).toBe('not kept');
  source.toFrame = bytesFrame;
  await using other = createInformerCache({ listerWatcher: () => source });
  other.acquire({ resource: Thing }, { owner: 'test' });
  await pass(0);
  expect(valueOf(other, 'thing-7')).toBe(7);
});

test('the code of the guide removes members before they are stored', async () => {
  const source = things(1);
  await using cache = createInformerCache({ listerWatcher: () => source });
  const handle = withoutNode(cache);
  await pass(0);
  expect(handle.store.list()).toMatchObject([{ spec: { value: 0 } }]);
  expect(JSON.stringify(handle.store.list())).not.toContain('xxx');
});

import { hasCode, resourceId } from '@keelson/apimachinery';
import { createInformerCache, type InformerCache } from '@keelson/informer';

// #region retain
function acquire(cache: InformerCache) {
  const large = cache.acquire({ resource: Thing, retain: 'compressed' }, { owner: 'report' });
  const heads = cache.acquire({ resource: Other, retain: 'metadata' }, { owner: 'counts' });
  return { large, heads };
}
// #endregion

// #region inventory
function printMemory(cache: InformerCache): string[] {
  return cache
    .inventory()
    .map(({ query, objects, retain, bytes }) =>
      [`${resourceId(query.resource)}: ${objects} objects`, retain, `${bytes} bytes`].join(', '),
    );
}
// #endregion

// #region budget
const MEBIBYTE = 1024 * 1024;

function limited(source: ListerWatcher): InformerCache {
  return createInformerCache({
    listerWatcher: () => source,
    memoryBudget: {
      bytes: 1024 * MEBIBYTE,
      policy: 'compress',
      kinds: [{ resource: Thing, bytes: Math.floor(0.1 * MEBIBYTE), policy: 'metadata' }],
    },
  });
}

function printBudgets(cache: InformerCache): string[] {
  const { budgets } = cache.memory();
  return budgets.map(({ budget, used, bytes }) => `${budget}: ${used} of ${bytes} bytes`);
}
// #endregion

// #region not-kept
function valueOf(cache: InformerCache, name: string): number | string | undefined {
  try {
    return cache.get(Thing, { namespace: 'default', name })?.spec?.value;
  } catch (error) {
    if (hasCode(error, 'BODY_NOT_KEPT')) return 'not kept';
    throw error;
  }
}
// #endregion

// #region transform
function withoutNode(cache: InformerCache) {
  const transform = {
    name: 'without-node',
    apply(thing: Thing): Thing {
      delete thing.spec?.node;
      return thing;
    },
  };
  return cache.acquire({ resource: Thing, transform }, { owner: 'test' });
}
// #endregion
