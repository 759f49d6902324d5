import { describe, expect, test } from '@jest/globals';
import { createClient } from '@keelson/client';
import { createTestEnvironment } from '@keelson/envtest';
import {
  builtin,
  createLogger,
  createManager,
  migrateStoredVersions,
  type Manager,
} from '@keelson/manager';
import { selfSignedCertificate } from '@keelson/manager/servers';
import { compareCrds } from '@keelson/schema';
import type { CustomResourceDefinition } from '@keelson/schema';
import { eventually } from './testing/fixtures.test-support.ts';
import { timers } from './timer.ts';

describe('docs/guides/upgrade-a-crd.md', () => {
  test('the new version breaks neither objects nor clients', () => {
    const released = timers.versions.v1beta1.crd;
    expect(breaks(released, timers.crd)).toEqual([]);
    expect(breaks(released, timers.versions.v1.crd)).toEqual([
      'versions[v1beta1]: removed, but objects are stored in it (objects, clients): keep the version; write every object in another storage version and remove this one from status.storedVersions first',
      'spec.every: the field is removed, and the server drops its value, compared with the storage version v1beta1 (objects, clients): keep the field, marked as deprecated in its description, or convert it in a new version',
      'spec.seconds: becomes required and has no default, compared with the storage version v1beta1 (objects, clients): give it a default, or leave it optional in this version',
    ]);
  });

  test('the leader stores every object in the storage version', async () => {
    await using environment = await createTestEnvironment();
    const { cluster } = environment.admin;
    await using client = createClient({ cluster });
    const { v1beta1 } = timers.versions;
    await environment.installCrds([v1beta1.crd]);
    const metadata = { namespace: 'default', name: 'tea' };
    await client.create(v1beta1.resource, { metadata, spec: { every: '5m' } });
    const certificate = await selfSignedCertificate();
    const messages: string[] = [];
    const operator = createManager({
      cluster,
      servers: { host: '127.0.0.1', webhook: { port: 0, tls: { certificate }, shutdownDelay: 0 } },
      logger: createLogger({ write: (line) => void messages.push(line) }),
      stopSignals: [],
    });
    operator.addConversion(timers);
    const running = operator.start();
    await operator.started;
    const url = `https://127.0.0.1:${operator.ports.webhook}`;
    await environment.installWebhooks([timers.crd], { url, ca: certificate.cert });
    addMigration(operator);
    const storedVersions = async (): Promise<unknown> =>
      (await client.get(builtin.CustomResourceDefinition, { name: 'timers.ops.example.com' }))
        .status?.storedVersions;
    await eventually(async () => String(await storedVersions()) === 'v1');
    await operator.stop();
    await running;
    expect(messages.join('')).toContain('"removed":["v1beta1"]');
  });
});

// #region compare
function breaks(released: CustomResourceDefinition, next: CustomResourceDefinition): string[] {
  return compareCrds(released, next).map(
    ({ path, reason, breaks: affected, cure }) =>
      `${path}: ${reason} (${affected.join(', ')}): ${cure}`,
  );
}
// #endregion

// #region migrate
function addMigration(operator: Manager): void {
  operator.addRunnable({
    name: 'stored-versions',
    async run({ client, log, signal }) {
      const { removed, objects } = await migrateStoredVersions({
        client,
        resource: timers.resource,
        signal,
      });
      if (removed.length > 0) log.info({ removed, objects }, 'stored objects migrated');
    },
  });
}
// #endregion
