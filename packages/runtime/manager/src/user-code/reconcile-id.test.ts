import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer } from '@keelson/apiserver';
import { createManager } from '../manager/controller-manager.ts';
import {
  eventually,
  objectOf,
  running,
  silent,
  unusedClient,
} from '../testing/fixtures.test-support.ts';

const { ConfigMap, EventsV1Event } = builtin;
const request = { namespace: 'default', name: 'a' };
const quiet = { logger: silent, stopSignals: [], gracePeriod: 0 };

describe('the id of a reconcile', () => {
  test('is an annotation of the events that it records', async () => {
    await using server = await createApiServer({});
    await using manager = createManager({ ...quiet, cluster: server.cluster });
    const ids: string[] = [];
    const controller = manager.addController({
      name: 'config',
      reconcile(_request, { events, reconcileId }) {
        ids.push(reconcileId);
        events.record(objectOf(ConfigMap, 'a'), { reason: 'Seen', action: 'See' });
      },
    });
    await running(manager);
    controller.enqueue(request);
    const list = () => manager.client.list(EventsV1Event, { namespace: 'default' });
    await eventually(async () => (await list()).items.length > 0);
    const [event] = (await list()).items;
    expect(event?.metadata.annotations).toEqual({ 'keelson.dev/reconcile-id': ids[0] });
  });

  test('is at the end of the User-Agent of its requests with auditReconciles, and of no others', async () => {
    const agents: (string | undefined)[] = [];
    const server = createServer((received: IncomingMessage, response) => {
      agents.push(received.headers['user-agent']);
      response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      await using manager = createManager({
        ...quiet,
        cluster: { server: url },
        auditReconciles: true,
      });
      const ids: string[] = [];
      const controller = manager.addController({
        name: 'config',
        async reconcile(_request, { client, reconcileId }) {
          await client.get(ConfigMap, request).catch(() => undefined);
          ids.push(reconcileId);
        },
      });
      await running(manager);
      await manager.client.get(ConfigMap, request).catch(() => undefined);
      controller.enqueue(request);
      await eventually(() => ids.length === 1);
      expect(agents).toEqual(['keelson', `keelson reconcile/${ids[0]}`]);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });

  test('refuses auditReconciles for a client of the user', () => {
    const client = unusedClient();
    expect(() => createManager({ ...quiet, client, auditReconciles: true })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
  });
});
