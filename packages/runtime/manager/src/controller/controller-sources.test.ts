import { describe, expect, test } from '@jest/globals';
import { builtin, type KubernetesObject } from '@keelson/apimachinery';
import { viewOf, type FakeCache } from '../testing/fake-cache.test-support.ts';
import {
  eventually,
  managersOfTest,
  objectOf,
  running,
  valueOf,
  WebApp,
} from '../testing/fixtures.test-support.ts';

const { ConfigMap, Deployment, Secret } = builtin;

const managers = managersOfTest();

describe('the sources of a controller', () => {
  test('CT32 for, owns and watches enqueue on create, update and delete, and not for unrelated objects', async () => {
    const { manager, cache } = managers.make();
    const seen: string[] = [];
    manager.addController({
      name: 'wired',
      for: WebApp,
      owns: [Deployment],
      watches: [
        {
          resource: Secret,
          map: (secret) =>
            secret.metadata.labels?.['app'] === undefined
              ? undefined
              : { namespace: 'default', name: secret.metadata.labels['app'] },
        },
      ],
      reconcile({ name }, { causes }) {
        seen.push(`${name}: ${causes.map(({ source, reason }) => `${source} ${reason}`).join()}`);
      },
    });
    await running(manager);
    const expectCauses = async (act: () => void, ...expected: string[]): Promise<void> => {
      seen.length = 0;
      act();
      await eventually(() => seen.length >= expected.length);
      expect(seen).toEqual(expected);
    };
    const owned = { metadata: { ownerReferences: [ownerOf('web')] } };
    const labelled = { metadata: { labels: { app: 'web' } } };
    const at = (name: string): { namespace: string; name: string } => ({
      namespace: 'default',
      name,
    });
    await expectCauses(() => cache.set(WebApp, objectOf(WebApp, 'web')), 'web: for WebApp added');
    await expectCauses(() => cache.set(WebApp, objectOf(WebApp, 'web')), 'web: for WebApp updated');
    await expectCauses(
      () => cache.set(Deployment, objectOf(Deployment, 'd', owned)),
      'web: owns Deployment added',
    );
    await expectCauses(
      () => cache.set(Deployment, objectOf(Deployment, 'd', owned)),
      'web: owns Deployment updated',
    );
    await expectCauses(() => cache.delete(Deployment, at('d')), 'web: owns Deployment deleted');
    await expectCauses(
      () => cache.set(Secret, objectOf(Secret, 's', labelled)),
      'web: watch Secret added',
    );
    await expectCauses(
      () => cache.set(Secret, objectOf(Secret, 's', labelled)),
      'web: watch Secret updated',
    );
    await expectCauses(() => cache.delete(Secret, at('s')), 'web: watch Secret deleted');
    await expectCauses(() => cache.set(Deployment, objectOf(Deployment, 'unrelated')));
    await expectCauses(() => cache.set(Secret, objectOf(Secret, 'unrelated')));
    await expectCauses(() => cache.delete(WebApp, at('web')), 'web: for WebApp deleted');
  });

  test('CT36 an update enqueues the requests of the old and the new object, each once', async () => {
    const { manager, cache } = managers.make();
    const seen: string[] = [];
    manager.addController({
      name: 'mapped',
      watches: [
        {
          resource: Secret,
          map: (secret) =>
            (secret.metadata.labels?.['apps'] ?? '').split('.').map((name) => ({ name })),
        },
      ],
      reconcile({ name }) {
        seen.push(name);
      },
    });
    await running(manager);
    const labelled = (apps: string): { metadata: object } => ({ metadata: { labels: { apps } } });
    cache.set(Secret, objectOf(Secret, 's', labelled('a.b')));
    await eventually(() => seen.length === 2);
    seen.length = 0;
    cache.set(Secret, objectOf(Secret, 's', labelled('b.c')));
    await eventually(() => seen.length >= 3);
    expect(seen.toSorted()).toEqual(['a', 'b', 'c']);
  });

  test('CT36 an error of a mapper is counted, and the source continues', async () => {
    const { manager, cache } = managers.make();
    const seen: string[] = [];
    manager.addController({
      name: 'throwing-map',
      watches: [
        {
          resource: Secret,
          map(secret) {
            if (secret.name === 'bad') throw new Error('cannot map');
            return { name: secret.name };
          },
        },
      ],
      reconcile({ name }) {
        seen.push(name);
      },
    });
    await running(manager);
    cache.set(Secret, objectOf(Secret, 'bad'));
    cache.set(Secret, objectOf(Secret, 'good'));
    await eventually(() => seen.length === 1);
    expect(seen).toEqual(['good']);
    const labels = { controller: 'throwing-map' };
    expect(await valueOf(manager, 'keelson_handler_errors_total', labels)).toBe(1);
  });

  test('CT36 an invalid request is counted, and the source continues', async () => {
    const { manager, cache } = managers.make();
    const seen: string[] = [];
    manager.addController({
      name: 'sloppy-map',
      watches: [
        {
          resource: Secret,
          map: ({ name }) =>
            name === 'bad' ? ([null, 'text', {}, { name: 'found' }] as never) : { name },
        },
        {
          resource: ConfigMap,
          // An async mapper returns a promise, which is an object.
          map: (async ({ name }: { name: string }) => ({ name })) as never,
        },
      ],
      reconcile({ name }) {
        seen.push(name);
      },
    });
    await running(manager);
    cache.set(Secret, objectOf(Secret, 'bad'));
    cache.set(ConfigMap, objectOf(ConfigMap, 'promised'));
    cache.set(Secret, objectOf(Secret, 'good'));
    await eventually(() => seen.length === 2);
    expect(seen).toEqual(['found', 'good']);
    const labels = { controller: 'sloppy-map' };
    expect(await valueOf(manager, 'keelson_handler_errors_total', labels)).toBe(4);
  });

  test('CT35 a predicate filters events out; an error of a predicate is counted, and the event passes', async () => {
    const { manager, cache } = managers.make();
    const seen: string[] = [];
    manager.addController({
      name: 'choosy',
      for: {
        resource: WebApp,
        predicates: [
          ({ object }) => object.name !== 'vetoed',
          ({ object }) => {
            if (object.name === 'odd') throw new Error('invalid object');
            return true;
          },
        ],
      },
      reconcile({ name }) {
        seen.push(name);
      },
    });
    await running(manager);
    for (const name of ['vetoed', 'odd', 'passed']) cache.set(WebApp, objectOf(WebApp, name));
    await eventually(() => seen.length === 2);
    expect(seen).toEqual(['odd', 'passed']);
    const labels = { controller: 'choosy' };
    expect(await valueOf(manager, 'keelson_handler_errors_total', labels)).toBe(1);
  });

  test('a predicate that returns a promise is counted, and its events pass', async () => {
    const { manager, cache } = managers.make();
    const seen: string[] = [];
    const predicate = (async () => false) as unknown as () => boolean;
    manager.addController({
      name: 'late',
      for: { resource: WebApp, predicates: [predicate] },
      reconcile({ name }) {
        seen.push(name);
      },
    });
    await running(manager);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => seen.length === 1);
    const labels = { controller: 'late' };
    expect(await valueOf(manager, 'keelson_handler_errors_total', labels)).toBe(1);
  });

  test('a mapper that returns an invalid name is counted, and its other requests run', async () => {
    const { manager, cache } = managers.make();
    const seen: string[] = [];
    manager.addController({
      name: 'slashed',
      watches: [{ resource: Secret, map: () => [{ name: 'a/b' }, { namespace: 'a', name: 'b' }] }],
      reconcile({ namespace, name }) {
        seen.push(`${namespace} ${name}`);
      },
    });
    await running(manager);
    cache.set(Secret, objectOf(Secret, 'x'));
    await eventually(() => seen.length === 1);
    expect(seen).toEqual(['a b']);
    const labels = { controller: 'slashed' };
    expect(await valueOf(manager, 'keelson_handler_errors_total', labels)).toBe(1);
  });

  test('PQ30 initial objects and resyncs have a lower priority; an explicit priority is kept', async () => {
    const { manager, cache } = managers.make();
    cache.set(WebApp, objectOf(WebApp, 'old'));
    cache.set(Secret, objectOf(Secret, 'explicit'));
    const seen: string[] = [];
    manager.addController({
      name: 'calm',
      for: WebApp,
      watches: [{ resource: Secret, priority: 5, map: ({ name }) => ({ name }) }],
      reconcile({ name }, { priority }) {
        seen.push(`${name} ${priority}`);
      },
    });
    await running(manager);
    await eventually(() => seen.length === 2);
    expect(seen).toEqual(['explicit 5', 'old -100']);
    seen.length = 0;
    const added = cache.set(WebApp, objectOf(WebApp, 'new'));
    await eventually(() => seen.length === 1);
    cache.set(WebApp, objectOf(WebApp, 'new'));
    await eventually(() => seen.length === 2);
    resync(cache, added);
    await eventually(() => seen.length === 3);
    expect(seen).toEqual(['new 0', 'new 0', 'new -100']);
  });

  test('CT46 one controller reconciles many kinds with a request that carries the kind as typed data', async () => {
    interface KindRequest {
      readonly kind: 'Secret' | 'ConfigMap';
      readonly name: string;
    }
    const { manager, cache } = managers.make();
    const seen: string[] = [];
    const controller = manager.addController({
      name: 'many-kinds',
      watches: [
        { resource: Secret, map: ({ name }) => ({ kind: 'Secret' as const, name }) },
        { resource: ConfigMap, map: ({ name }) => [{ name, kind: 'ConfigMap' as const }] },
      ],
      keyOf: ({ kind, name }) => `${kind}/${name}`,
      reconcile: ({ kind, name }: KindRequest) => void seen.push(`${kind} ${name}`),
    });
    cache.set(Secret, objectOf(Secret, 'a'));
    cache.set(ConfigMap, objectOf(ConfigMap, 'a'));
    controller.enqueue({ name: 'a', kind: 'Secret' });
    await running(manager);
    await eventually(() => seen.length >= 2 && controller.length === 0);
    expect(seen.toSorted()).toEqual(['ConfigMap a', 'Secret a']);
  });

  test('PQ30 the priority of initial objects and resyncs is configurable', async () => {
    const { manager, cache } = managers.make();
    cache.set(WebApp, objectOf(WebApp, 'old'));
    const seen: number[] = [];
    manager.addController({
      name: 'eager',
      for: WebApp,
      priorities: { initial: -3 },
      reconcile(_request, { priority }) {
        seen.push(priority);
      },
    });
    await running(manager);
    await eventually(() => seen.length === 1);
    expect(seen).toEqual([-3]);
  });
});

function ownerOf(name: string): object {
  return { apiVersion: 'apps.example.com/v1', kind: 'WebApp', name, uid: 'u', controller: true };
}

function resync(cache: FakeCache, object: KubernetesObject): void {
  const view = viewOf(object);
  const { key } = view;
  cache.emit(WebApp, { type: 'updated', previous: view, object: view, key, receivedAt: 0 });
}
