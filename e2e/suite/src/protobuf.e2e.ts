import { describe, expect, test } from '@jest/globals';
import { builtin, type ApiResource } from '@keelson/apimachinery';
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
});
