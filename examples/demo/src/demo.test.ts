import { describe, expect, test } from '@jest/globals';
import { createApiServer } from '@keelson/apiserver';
import { builtin, createClient, createLogger } from '@keelson/manager';
import { isMet } from './check.ts';
import { Demo } from './demo.ts';
import { claimNamespace } from './demo-namespace.ts';
import { PlainScreen } from './screen.ts';
import { Shop } from './shop.ts';

const logger = createLogger({ level: 'silent' });

describe('Demo', () => {
  test('every check of the summary passes, and each phase is printed', async () => {
    await using server = await createApiServer();
    const cluster = { server: server.url };
    await using client = createClient({ cluster });
    const { namespace } = await claimNamespace(client);
    const lines: string[] = [];
    const screen = new PlainScreen((line) => lines.push(line));
    await using demo = new Demo({ cluster, server, namespace, shops: 20, screen, logger });

    const checks = await demo.run();
    expect(checks.filter((check) => !isMet(check))).toEqual([]);
    expect(checks).toHaveLength(16);
    expect(lines.filter((line) => line.startsWith('== '))).toHaveLength(7);
    expect(server.stats.openWatches(Shop)).toBe(1);
    expect((await fetch(demo.metricsUrl)).status).toBe(200);
    expect((await fetch(demo.inspectorUrl, { redirect: 'manual' })).status).toBe(302);
  });

  test('without a server of its own nothing is cut and the server is not asked', async () => {
    await using server = await createApiServer();
    const cluster = { server: server.url };
    await using client = createClient({ cluster });
    const { namespace } = await claimNamespace(client);
    const screen = new PlainScreen(() => undefined);
    const options = { cluster, server: undefined, namespace, shops: 10, screen, logger };
    await using demo = new Demo(options);

    const checks = await demo.run();
    expect(checks.filter((check) => !isMet(check))).toEqual([]);
    expect(checks).toHaveLength(8);
    expect(server.stats.watches(Shop)).toBe(1);
  });
});

describe('claimNamespace', () => {
  test('takes back what it made, and leaves a definition that was there before', async () => {
    await using server = await createApiServer();
    await using client = createClient({ cluster: { server: server.url } });
    const first = await claimNamespace(client);
    const second = await claimNamespace(client);
    expect(second.namespace).not.toBe(first.namespace);

    await second.remove();
    const definitions = await client.list(builtin.CustomResourceDefinition);
    expect(definitions.items).toHaveLength(1);
    await first.remove();
    expect((await client.list(builtin.CustomResourceDefinition)).items).toEqual([]);
    const { items } = await client.list(builtin.Namespace);
    expect(items.map(({ metadata }) => metadata.name)).not.toContain(first.namespace);
  });
});
