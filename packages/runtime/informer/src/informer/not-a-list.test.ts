import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createClient } from '@keelson/client';
import { createInformerCache } from '../cache/informer-cache.ts';
import { ObserverLog } from '../testing/harness.test-support.ts';
import { eventually } from '../testing/scripted-source.test-support.ts';

const { ConfigMap } = builtin;
const object = {
  metadata: { name: 'a', namespace: 'default', uid: 'u', resourceVersion: '1' },
};
const list = {
  kind: 'ConfigMapList',
  apiVersion: 'v1',
  metadata: { resourceVersion: '5' },
  items: [object],
};
const metadata = { resourceVersion: '99' };

function send(response: ServerResponse, code: number, body: object): void {
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function refuse(response: ServerResponse, code: number, reason: string): void {
  send(response, code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason });
}

/** A server that lists one object, and after `spoil` expires its watch and lists the given body. */
class SpoiledServer implements AsyncDisposable {
  readonly #server = createServer(({ url = '' }, response) => this.#respond(url, response));
  #watch: ServerResponse | undefined;
  #body: object = list;

  async start(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  spoil(body: object): void {
    this.#body = body;
    this.#watch?.destroy();
  }

  #respond(url: string, response: ServerResponse): void {
    const query = new URL(url, 'http://x').searchParams;
    if (query.has('sendInitialEvents')) return refuse(response, 422, 'Invalid');
    if (!query.has('watch')) return send(response, 200, this.#body);
    if (this.#body !== list) return refuse(response, 410, 'Expired');
    this.#watch = response;
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

describe('a relist whose response is not a list of the resource', () => {
  test.each([
    { metadata },
    { kind: 'Gateway', apiVersion: 'x/v1', metadata },
    { kind: 'ConfigMap', apiVersion: 'v1', metadata, items: [] },
    { kind: 'SecretList', apiVersion: 'v1', metadata, items: [] },
    { apiVersion: 'v1', items: [], kind: 'SecretList', metadata },
  ])('keeps the store and backs off: %j', async (body) => {
    await using server = new SpoiledServer();
    await using client = createClient({ cluster: { server: await server.start() } });
    const observer = new ObserverLog();
    await using cache = createInformerCache({
      listerWatcher: (query) => client.listerWatcher(query),
      linger: 0,
      observer,
    });
    const handle = cache.acquire({ resource: ConfigMap }, { owner: 'test' });
    const events: string[] = [];
    handle.addEventHandler(({ type }) => void events.push(type));
    await handle.synced;
    server.spoil(body);
    const refused = expect.objectContaining({ code: 'UNEXPECTED_RESPONSE' });
    await eventually(() => handle.health.state === 'backing-off', 'backing off');
    await eventually(() => observer.errors.length > 0, 'the error');
    expect(observer.errors).toContainEqual(refused);
    expect(handle.health.lastError).toEqual(refused);
    expect([events, handle.store.size]).toEqual([['added'], 1]);
  });
});
