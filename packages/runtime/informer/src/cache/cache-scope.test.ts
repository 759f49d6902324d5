import { describe, expect, test } from '@jest/globals';
import type { DeepReadonly } from '@keelson/apimachinery';
import { withCode } from '../testing/harness.test-support.ts';
import { a, eventually, Other, Thing } from '../testing/scripted-source.test-support.ts';
import {
  acquired,
  cacheOf,
  holder,
  names,
  thingOf,
  threeThings,
  y,
} from '../testing/selecting-source.test-support.ts';

describe('reads of a scope', () => {
  test('are served by the handles of the scope, whichever other watches exist', async () => {
    await using cache = cacheOf(threeThings());
    const [first, second] = [cache.scope(), cache.scope()];
    await acquired(first, { labelSelector: 'app=x' });
    const others = [await acquired(second, { labelSelector: 'app=y' }), await acquired(cache)];
    expect(names(first.list(Thing))).toEqual(['a', 'c']);
    expect(first.get(Thing, { namespace: 'default', name: 'b' })).toBeUndefined();
    expect(names(second.list(Thing, { namespace: 'default' }))).toEqual(['b']);
    for (const other of others) other.release();
    expect(names(first.list(Thing))).toEqual(['a', 'c']);
    expect(() => second.list(Thing)).toThrow(withCode('NOT_WATCHED'));
  });

  test('return the newest version of an object that two watches have', async () => {
    const server = threeThings();
    await using cache = cacheOf(server);
    const scope = cache.scope();
    const byApp = await acquired(scope, { labelSelector: 'app=x', sharing: 'exact' });
    const whole = await acquired(scope);
    const toWhole = ({ labelSelector }: { labelSelector: string | undefined }): boolean =>
      labelSelector === undefined;
    server.send(
      toWhole,
      'MODIFIED',
      thingOf('default', 'a', { labels: y, version: 101, node: 'n9' }),
    );
    await eventually(() => whole.store.resourceVersion === '101');
    expect(byApp.store.view(a)?.resourceVersion).toBe('1');
    expect(scope.get(Thing, a)?.spec?.node).toBe('n9');
    expect(names(scope.list(Thing))).toEqual(['a', 'b', 'c']);
    expect(names(scope.list(Thing, { labelSelector: 'app=x' }))).toEqual(['c']);
    expect(names(await scope.listAsync(Thing, { labelSelector: 'app=y' }))).toEqual(['a', 'b']);
  });

  test('follow the handles after a read that the only watch of the kind served', async () => {
    const server = threeThings();
    await using cache = cacheOf(server);
    const scope = cache.scope();
    const b = { namespace: 'default', name: 'b' };
    const whole = await acquired(scope);
    expect(scope.get(Thing, a)?.spec?.node).toBe('n1');
    const byApp = await acquired(scope, { labelSelector: 'app=x', sharing: 'exact' });
    const toByApp = ({ labelSelector }: { labelSelector: string | undefined }): boolean =>
      labelSelector !== undefined;
    server.send(toByApp, 'MODIFIED', thingOf('default', 'a', { version: 101, node: 'n9' }));
    await eventually(() => byApp.store.resourceVersion === '101');
    expect(scope.get(Thing, a)?.spec?.node).toBe('n9');
    expect(scope.get(Thing, b)).toBeDefined();
    whole.release();
    expect(scope.get(Thing, a)?.spec?.node).toBe('n9');
    expect(scope.get(Thing, b)).toBeUndefined();
    const again = await acquired(scope);
    byApp.release();
    expect(scope.get(Thing, b)).toBeDefined();
    again.release();
    expect(() => scope.get(Thing, b)).toThrow(withCode('NOT_WATCHED'));
  });

  test('return each object once if an exact handle and another one of the same query have it', async () => {
    await using cache = cacheOf(threeThings());
    const scope = cache.scope();
    await acquired(scope, { namespace: 'default', sharing: 'exact' });
    await acquired(scope, { namespace: 'default' });
    expect(names(scope.list(Thing))).toEqual(['a', 'b']);
    expect(names(await scope.listAsync(Thing))).toEqual(['a', 'b']);
  });

  test('its signal ends the waits of the scope, and of no other reader', async () => {
    await using cache = cacheOf(threeThings());
    await acquired(cache);
    const end = new AbortController();
    const scope = cache.scope({ signal: end.signal });
    await acquired(scope);
    const never = (): boolean => false;
    const wait = scope.waitFor(Thing, a, never);
    const own = new AbortController();
    const other = cache.waitFor(Thing, a, never, { signal: own.signal });
    end.abort(new Error('removed'));
    await expect(wait).rejects.toThrow('removed');
    await expect(scope.waitFor(Thing, a, never)).rejects.toThrow('removed');
    own.abort(new Error('own'));
    await expect(other).rejects.toThrow('own');
  });

  test('NOT_WATCHED names the cluster of a scope', async () => {
    await using cache = cacheOf(threeThings());
    const scope = cache.scope({ declaredIn: 'reads', cluster: 'eu' });
    const declare = 'reads: [{ resource: Thing, cluster: "eu", namespace: "default" }]';
    expect(() => scope.list(Thing, { namespace: 'default' })).toThrow(
      expect.objectContaining({ facts: expect.objectContaining({ declare }) }),
    );
  });

  test('reads of a kind, namespace or name outside of the handles throw NOT_WATCHED', async () => {
    await using cache = cacheOf(threeThings());
    await acquired(cache);
    const scope = cache.scope({ declaredIn: 'reads' });
    await acquired(scope, { namespace: 'default', fieldSelector: 'metadata.name!=b' });
    expect(names(scope.list(Thing))).toEqual(['a']);
    const refused = expect.objectContaining({
      code: 'NOT_WATCHED',
      facts: expect.objectContaining({
        declare: 'reads: [{ resource: Thing, namespace: "other" }]',
        watched: ['{ resource: Thing, namespace: "default", fieldSelector: "metadata.name!=b" }'],
      }),
    });
    expect(() => scope.list(Thing, { namespace: 'other' })).toThrow(refused);
    expect(() => scope.get(Thing, { namespace: 'other', name: 'c' })).toThrow(refused);
    expect(() => scope.get(Thing, { namespace: 'default', name: 'b' })).toThrow(
      withCode('NOT_WATCHED'),
    );
    expect(() => scope.list(Thing, { fieldSelector: 'metadata.namespace=other' })).toThrow(
      withCode('NOT_WATCHED'),
    );
    expect(() => scope.get(Other, a)).toThrow(withCode('NOT_WATCHED'));
  });

  test('find objects by an index that only one of two watches has', async () => {
    await using cache = cacheOf(threeThings());
    const scope = cache.scope();
    const indexers = [
      { name: 'node', body: ({ spec }: DeepReadonly<Thing>) => [spec?.node ?? ''] },
    ];
    await acquired(scope, { namespace: 'default', indexers });
    await acquired(scope, { namespace: 'other' });
    const byNode = (value: string): object => ({ index: { name: 'node', value } });
    expect(names(scope.list(Thing, byNode('n1')))).toEqual(['a', 'b']);
    expect(names(scope.list(Thing, byNode('n2')))).toEqual(['c']);
    expect(names(await scope.listAsync(Thing, byNode('n2')))).toEqual(['c']);
    expect(() => scope.list(Thing, { index: { name: 'none', value: '' } })).toThrow(
      withCode('INDEX_UNKNOWN'),
    );
  });

  test('prefer an untransformed object to a transformed one', async () => {
    await using cache = cacheOf(threeThings());
    const scope = cache.scope();
    const transform = { name: 'bare', apply: ({ spec: _spec, ...rest }: Thing): Thing => rest };
    await acquired(scope, { transform });
    expect(scope.get(Thing, a)?.spec).toBeUndefined();
    await acquired(scope, { namespace: 'default' });
    expect(scope.get(Thing, a)?.spec).toEqual({ node: 'n1' });
    expect(scope.get(Thing, { namespace: 'other', name: 'c' })?.spec).toBeUndefined();
    expect(scope.get(Thing, a, { transform: 'bare' })?.spec).toBeUndefined();
  });

  test('reads of a whole object that only a watch of the metadata selects throw NOT_WATCHED', async () => {
    const server = threeThings();
    await using cache = cacheOf(server);
    const scope = cache.scope({ declaredIn: 'reads' });
    await acquired(scope, { projection: 'metadata' });
    const whole = await acquired(scope, { labelSelector: 'app=x' });
    const b = { namespace: 'default', name: 'b' };
    expect(scope.get(Thing, a)?.spec?.node).toBe('n1');
    expect(scope.get(Thing, b, { projection: 'metadata' })?.metadata.name).toBe('b');
    expect(() => scope.get(Thing, b)).toThrow(
      expect.objectContaining({
        code: 'NOT_WATCHED',
        facts: expect.objectContaining({
          watched: [
            '{ resource: Thing, projection: "metadata" }',
            '{ resource: Thing, labelSelector: "app=x" }',
          ],
        }),
      }),
    );
    expect(scope.get(Thing, { namespace: 'default', name: 'none' })).toBeUndefined();
    // The deletion reached the whole watch first. The object counts as missing, because that watch selects it.
    const isWhole = ({ projection }: { projection: string }): boolean => projection === 'full';
    server.send(
      isWhole,
      'DELETED',
      thingOf('default', 'a', { labels: { app: 'x' }, version: 101 }),
    );
    await eventually(() => whole.store.size === 1);
    expect(scope.get(Thing, a)).toBeUndefined();
  });

  test('throw NOT_SYNCED only until one of the handles that serve them has synced', async () => {
    const server = threeThings();
    server.isSilent = ({ namespace }) => namespace === 'default';
    await using cache = cacheOf(server);
    const scope = cache.scope();
    scope.acquire({ resource: Thing, namespace: 'default' }, holder);
    expect(() => scope.list(Thing)).toThrow(withCode('NOT_SYNCED'));
    await acquired(scope, { namespace: 'other' });
    expect(names(scope.list(Thing))).toEqual(['c']);
    expect(() => scope.get(Thing, a)).toThrow(withCode('NOT_SYNCED'));
  });

  test('reads on a closed cache throw CACHE_CLOSED', async () => {
    const cache = cacheOf(threeThings());
    const scope = cache.scope();
    await acquired(scope);
    await cache.close();
    expect(() => scope.get(Thing, a)).toThrow(withCode('CACHE_CLOSED'));
    await expect(scope.waitForSync()).rejects.toEqual(withCode('CACHE_CLOSED'));
  });

  test('wait for the watches of the scope only', async () => {
    const server = threeThings();
    server.isSilent = ({ namespace }) => namespace === 'default';
    await using cache = cacheOf(server);
    cache.acquire({ resource: Thing, namespace: 'default' }, holder);
    const scope = cache.scope({ declaredIn: 'reads' });
    await scope.waitForSync();
    await expect(scope.waitForSync({ resources: [Thing] })).rejects.toMatchObject({
      code: 'NOT_WATCHED',
      facts: { declare: 'reads: [{ resource: Thing }]' },
    });
  });
});
