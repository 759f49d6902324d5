import { builtin } from '@keelson/apimachinery';
import { createClient, type Client } from '@keelson/client';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createTestEnvironment, type TestEnvironment } from '../index.ts';

const { Deployment, Event, Pod } = builtin;
const start = '2026-03-01T00:00:00Z';
const web = { namespace: 'default', name: 'web' };

describe('workloads in virtual time', () => {
  let environment: TestEnvironment;
  let client: Client;

  beforeEach(async () => {
    environment = await createTestEnvironment({ time: { start }, workloads: true });
    client = createClient({ cluster: environment.admin.cluster });
  });

  afterEach(async () => {
    await client.close();
    await environment.stop();
  });

  test('a Deployment becomes available', async () => {
    await client.create(Deployment, {
      metadata: web,
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'app', image: 'web:1' }] },
        },
      },
    });
    await environment.settled();
    const { status } = await client.get(Deployment, web);
    expect(status?.observedGeneration).toBe(1);
    expect(status?.availableReplicas).toBe(3);
  });
});
