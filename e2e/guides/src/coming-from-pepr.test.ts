import { expect, test } from '@jest/globals';
import { createTestEnvironment } from '@keelson/envtest';
import { builtin, createManager, deny, type Manager } from '@keelson/manager';
import { selfSignedCertificate } from '@keelson/manager/servers';
import { defineWebhook, webhookConfigurations } from '@keelson/manager/webhooks';
import { silent } from './testing/fixtures.test-support.ts';

// #region webhooks
const { ConfigMap } = builtin;
const inDemo = { matchLabels: { 'kubernetes.io/metadata.name': 'demo' } };

const labels = defineWebhook({
  name: 'labels',
  resource: ConfigMap,
  operations: ['CREATE'],
  namespaceSelector: inDemo,
  mutate({ object }) {
    const metadata = (object.metadata ??= {});
    metadata.labels = { ...metadata.labels, reviewed: 'true' };
  },
});

const sizes = defineWebhook({
  name: 'sizes',
  resource: ConfigMap,
  operations: ['CREATE', 'UPDATE'],
  namespaceSelector: inDemo,
  validate({ object, warn }) {
    const { size, colour } = object.data ?? {};
    if (colour !== undefined) warn('colour has no effect any more');
    return size === 'huge' ? deny('no ConfigMap is huge', { code: 422 }) : undefined;
  },
});
// #endregion

interface Sizes {
  set(name: string, size: string | undefined): Promise<void>;
  remove(name: string): Promise<void>;
}

// #region controller
function addSizeController(manager: Manager, store: Sizes): void {
  manager.addController({
    name: 'sizes',
    for: { resource: ConfigMap, namespace: 'demo' },
    concurrency: 10,
    async reconcile(request, { cache, finalizer }) {
      const object = cache.get(ConfigMap, request);
      if (object === undefined) return undefined;
      const { name } = object.metadata;
      return finalizer({
        resource: ConfigMap,
        object,
        finalizer: 'example.com/size',
        async apply({ metadata, data }) {
          const isReviewed = metadata.labels?.['reviewed'] !== undefined;
          await (isReviewed ? store.set(name, data?.['size']) : store.remove(name));
        },
        cleanup: () => store.remove(name),
      });
    },
  });
}
// #endregion

test('a capability with mutate, validate, reconcile and finalize', async () => {
  await using environment = await createTestEnvironment();
  const certificate = await selfSignedCertificate();
  await using manager = createManager({
    cluster: environment.admin.cluster,
    servers: { host: '127.0.0.1', webhook: { port: 0, tls: { certificate }, shutdownDelay: 0 } },
    logger: silent,
    stopSignals: [],
  });
  const stored = new Map<string, string | undefined>();
  const changed = new EventTarget();
  const store: Sizes = {
    async set(name, size) {
      stored.set(name, size);
      changed.dispatchEvent(new Event('change'));
    },
    async remove(name) {
      stored.delete(name);
      changed.dispatchEvent(new Event('change'));
    },
  };
  manager.addWebhook(labels);
  manager.addWebhook(sizes);
  addSizeController(manager, store);
  const running = manager.start();
  await manager.started;
  await environment.installWebhooks(
    webhookConfigurations([labels, sizes], {
      name: 'demo',
      service: { namespace: 'operator', name: 'demo' },
    }),
    { url: `https://127.0.0.1:${manager.ports.webhook}`, ca: certificate.cert },
  );
  const { client } = manager;
  await client.create(builtin.Namespace, { metadata: { name: 'demo' } });
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) {
      await new Promise((resolve) => changed.addEventListener('change', resolve, { once: true }));
    }
  };
  const key = { namespace: 'demo', name: 'a' };
  const made = await client.create(ConfigMap, { metadata: key, data: { size: 'small' } });
  expect(made.metadata.labels).toEqual({ reviewed: 'true' });
  await until(() => stored.get('a') === 'small');
  const huge = client.create(ConfigMap, {
    metadata: { ...key, name: 'b' },
    data: { size: 'huge' },
  });
  await expect(huge).rejects.toThrow('no ConfigMap is huge');
  const label = (reviewed: string | null): Promise<unknown> =>
    client.patch(ConfigMap, key, { type: 'merge', body: { metadata: { labels: { reviewed } } } });
  await label(null);
  await until(() => !stored.has('a'));
  await label('true');
  await until(() => stored.has('a'));
  await label(null);
  await client.delete(ConfigMap, key);
  await until(() => !stored.has('a'));
  await manager.stop();
  await running;
});
