import { describe, expect, test } from '@jest/globals';
import { createTestEnvironment } from '@keelson/envtest';
import { createManager, type Manager } from '@keelson/manager';
import { selfSignedCertificate } from '@keelson/manager/servers';
import { compareCrds, defineKind } from '@keelson/schema';
import type { CustomResourceDefinition } from '@keelson/schema';
import { silent } from './testing/fixtures.test-support.ts';

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

  test('the API server of a test converts by the manager', async () => {
    await using environment = await createTestEnvironment();
    const certificate = await selfSignedCertificate();
    const operator = createManager({
      cluster: environment.admin.cluster,
      servers: { host: '127.0.0.1', webhook: { port: 0, tls: { certificate }, shutdownDelay: 0 } },
      logger: silent,
      stopSignals: [],
    });
    serveConversion(operator);
    expect(() => serveConversion(operator)).toThrow('webhook=timers.ops.example.com');
    const running = operator.start();
    await operator.started;
    const url = `https://127.0.0.1:${operator.ports.webhook}`;
    await environment.installWebhooks([timers.crd], { url, ca: certificate.cert });
    const { client } = operator;
    const metadata = { namespace: 'default', name: 'a' };
    await client.create(timers.versions.v1beta1.resource, { metadata, spec: { every: '2m' } });
    const read = await client.get(timers.resource, metadata);
    expect(read.spec).toEqual({ seconds: 120 });
    const updated = await client.update(timers.resource, { ...read, spec: { seconds: 5 } });
    expect(updated.spec).toEqual({ seconds: 5 });
    expect((await client.get(timers.versions.v1beta1.resource, metadata)).spec).toEqual({
      every: '5s',
    });
    await operator.stop();
    await running;
  });
});

// #region versions
const names = { group: 'ops.example.com', kind: 'Timer', plural: 'timers' } as const;

const v1beta1 = {
  spec: {
    type: 'object',
    required: ['every'],
    properties: { every: { type: 'string', pattern: '^[0-9]+[sm]$' } },
  },
} as const;

const v1 = {
  spec: {
    type: 'object',
    required: ['seconds'],
    properties: { seconds: { type: 'integer', minimum: 1 } },
  },
} as const;

const timers = defineKind({
  ...names,
  versions: { v1, v1beta1 },
  storage: 'v1beta1',
  convert: {
    hub: 'v1',
    from: {
      v1beta1({ spec: { every } }) {
        const count = Number.parseInt(every, 10);
        return { spec: { seconds: every.endsWith('m') ? count * 60 : count } };
      },
    },
    to: { v1beta1: ({ spec }) => ({ spec: { every: `${spec.seconds}s` } }) },
    webhook: { service: { namespace: 'ops', name: 'timers', path: '/convert' } },
  },
});
// #endregion

// #region webhook
function serveConversion(operator: Manager): void {
  operator.addConversion(timers);
}
// #endregion

// #region compare
function breaks(released: CustomResourceDefinition, next: CustomResourceDefinition): string[] {
  return compareCrds(released, next).map(
    ({ path, reason, breaks: affected, cure }) =>
      `${path}: ${reason} (${affected.join(', ')}): ${cure}`,
  );
}
// #endregion
