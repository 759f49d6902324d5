import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, test } from '@jest/globals';
import { Harness } from '../testing/harness.test-support.ts';
import { eventually, Thing } from '../testing/scripted-source.test-support.ts';

const user = new AsyncLocalStorage<string>();

describe('the async context of user code', () => {
  test('is that of its registration, whichever user opened the shared watch', async () => {
    const seen = new Set<string>();
    const see = (what: string): void => void seen.add(`${what} in ${user.getStore()}`);
    const harness = new Harness();
    await using _ = harness;
    harness.source.set('a');
    const transform = {
      name: 'same',
      apply: (object: Thing): Thing => {
        see('transform');
        return object;
      },
    };
    const acquire = (name: string): ReturnType<Harness['acquire']> =>
      user.run(name, () => {
        const head = (): string[] => {
          see(`indexer of ${name}`);
          return [];
        };
        const handle = harness.acquire({ transform, indexers: [{ name, head }] }, name);
        handle.addEventHandler(() => see(`handler of ${name}`));
        handle.onHealthChange(({ state }) => see(`${state} listener of ${name}`));
        return handle;
      });
    const first = acquire('first');
    await user.run('reader', () => harness.caughtUp(first));
    const second = acquire('second');
    harness.source.set('b');
    await eventually(() => second.store.size === 2);
    harness.missed(() => harness.source.set('c'));
    await eventually(() => second.store.size === 3);
    first.release();
    harness.missed(() => harness.source.set('d'));
    await eventually(() => second.store.size === 4);
    await harness.cache.close();
    const wrong = [...seen].filter((line) => !/of (\w+) in \1$/.test(line));
    expect(wrong).toEqual(['transform in first']);
    expect([...seen]).toEqual(
      expect.arrayContaining([
        'handler of first in first',
        'handler of second in second',
        'indexer of second in second',
        'live listener of first in first',
      ]),
    );
  });

  test('of a lister-watcher is that of the creation of the cache', async () => {
    const contexts = new Set<string | undefined>();
    const harness = user.run('creator', () => new Harness());
    await using _ = harness;
    const { source } = harness;
    const watch = source.watch.bind(source);
    source.watch = (request) => {
      contexts.add(user.getStore());
      return watch(request);
    };
    await user.run('user', () => harness.synced());
    expect([...contexts]).toEqual(['creator']);
  });
});
