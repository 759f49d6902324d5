import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { builtin, defineResource, type ApiResource } from '@keelson/apimachinery';
import { createClient, type ProtobufRefusal } from '@keelson/client';
import { createInformerCache } from '@keelson/informer';
import { openSuite } from './suite.ts';

const suite = openSuite();
/** The kinds of which every server has objects, or the test creates some. */
const kinds: readonly ApiResource[] = [
  builtin.ConfigMap,
  builtin.Deployment,
  builtin.Namespace,
  builtin.Secret,
  builtin.Service,
];

describe('a client with protobuf', () => {
  test('holds the objects that JSON has, of every kind, from a list and from events', async () => {
    const namespace = await suite.namespace();
    const labels = { app: 'web' };
    const metadata = { namespace, name: 'web', labels };
    const container = { name: 'web', image: 'web:1', resources: { limits: { cpu: '100m' } } };
    await suite.client.create(builtin.Deployment, {
      metadata,
      spec: {
        replicas: 0,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container] } },
      },
    });
    await suite.client.create(builtin.Service, {
      metadata,
      spec: { selector: labels, ports: [{ port: 80, targetPort: 'http' }] },
    });
    await suite.client.create(builtin.ConfigMap, { metadata, data: { empty: '' } });
    const refusals: ProtobufRefusal[] = [];
    const observer = { protobufRefused: (refusal: ProtobufRefusal) => refusals.push(refusal) };
    await using client = createClient({ cluster: suite.cluster, protobuf: true, observer });
    await using cache = createInformerCache({
      listerWatcher: (query) => client.listerWatcher(query),
      keepManagedFields: true,
    });
    const events = Promise.withResolvers<void>();
    for (const resource of kinds) {
      const handle = cache.acquire({ resource }, { owner: 'suite' });
      handle.addEventHandler((event) => {
        if (event.type === 'added' && event.object.metadata.name === 'later') events.resolve();
      });
      await handle.synced;
    }
    await suite.client.create(builtin.Secret, {
      metadata: { namespace, name: 'later' },
      data: { key: Buffer.from('value').toString('base64') },
    });
    await events.promise;
    for (const resource of kinds) {
      const { items } = await suite.client.list(resource);
      for (const item of items) {
        const { resourceVersion } = item.metadata;
        const held = cache.get(resource, item.metadata);
        // A controller of the server may have changed it since.
        if (held?.metadata.resourceVersion !== resourceVersion) continue;
        expect(held).toEqual(item);
      }
      expect(items.length).toBeGreaterThan(0);
    }
    expect(refusals).toEqual([]);
  });

  test('holds every object of the server as JSON has it, whole and as metadata', async () => {
    const namespace = await suite.namespace();
    await suite.client.create(builtin.ConfigMap, { metadata: { namespace, name: 'a' } });
    const served = await suite.client.discovery.resources();
    const refusals: ProtobufRefusal[] = [];
    const observer = { protobufRefused: (refusal: ProtobufRefusal) => refusals.push(refusal) };
    await using client = createClient({ cluster: suite.cluster, observer });
    await using cache = createInformerCache({
      listerWatcher: (query) => client.listerWatcher(query),
      keepManagedFields: true,
    });
    const differing: string[] = [];
    let listed = 0;
    let compared = 0;
    for (const { group, version, kind, plural, namespaced, verbs } of served) {
      if (!verbs.includes('list') || !verbs.includes('watch')) continue;
      const scope = namespaced ? 'Namespaced' : 'Cluster';
      const resource = defineResource({ group, version, kind, plural, scope });
      const owner = `suite ${resource.plural}`;
      const handle = cache.acquire({ resource }, { owner });
      const partial = cache.acquire({ resource, projection: 'metadata' }, { owner });
      await Promise.all([handle.synced, partial.synced]);
      const { items } = await suite.client.list(resource);
      listed += items.length;
      for (const item of items) {
        const { resourceVersion } = item.metadata;
        const [whole, metadata] = [handle, partial].map(({ store }) => store.get(item.metadata));
        // A controller of the server may have changed it since.
        if (whole?.metadata.resourceVersion !== resourceVersion) continue;
        if (metadata?.metadata.resourceVersion !== resourceVersion) continue;
        compared += 1;
        const isSame = isDeepStrictEqual([whole, metadata.metadata], [item, item.metadata]);
        if (!isSame) differing.push(`${resource.kind} ${item.metadata.name}`);
      }
    }
    expect(differing).toEqual([]);
    expect(refusals).toEqual([]);
    expect(compared).toBeGreaterThan(listed * 0.9);
  });
});
