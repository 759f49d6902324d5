import { once } from 'node:events';
import { createServer, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createClient } from '@keelson/client';
import { createInformerCache } from '../cache/informer-cache.ts';
import { ObserverLog } from '../testing/harness.test-support.ts';

const metadata = { resourceVersion: '5' };
const item = { metadata: { name: 'a', namespace: 'default', uid: 'u', resourceVersion: '1' } };
const list = { kind: 'ConfigMapList', apiVersion: 'v1', metadata, items: [item] };

/** A server behind a proxy that responds with a page to a WatchList. */
class ProxiedServer implements AsyncDisposable {
  readonly verbs: string[] = [];
  readonly #server = createServer(({ url = '' }, response) => this.#respond(url, response));
  readonly #headers: OutgoingHttpHeaders;

  constructor(headers: OutgoingHttpHeaders) {
    this.#headers = headers;
  }

  async start(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #respond(url: string, response: ServerResponse): void {
    const { pathname, searchParams: query } = new URL(url, 'http://x');
    // The client also asks for the version of the server.
    if (!pathname.endsWith('/configmaps')) return void response.writeHead(404).end();
    const isWatchList = query.has('sendInitialEvents');
    this.verbs.push(isWatchList ? 'watchList' : query.has('watch') ? 'watch' : 'list');
    if (isWatchList) {
      response.writeHead(200, this.#headers).end('<html>Sign in</html>');
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    if (query.has('watch')) response.flushHeaders();
    else response.end(JSON.stringify(list));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

describe('a WatchList whose response is not of the API', () => {
  test.each<[string, OutgoingHttpHeaders]>([
    ['a page', { 'content-type': 'text/html; charset=utf-8' }],
    ['text', { 'content-type': 'text/plain' }],
    ['bytes', { 'content-type': 'application/octet-stream' }],
    ['no type', {}],
  ])('RF40 falls back to list at once: %s', async (_what, headers) => {
    await using server = new ProxiedServer(headers);
    await using client = createClient({ cluster: { server: await server.start() } });
    const observer = new ObserverLog();
    await using cache = createInformerCache({
      listerWatcher: (query) => client.listerWatcher(query),
      linger: 0,
      observer,
    });
    const handle = cache.acquire({ resource: builtin.ConfigMap }, { owner: 'test' });
    await handle.synced;
    expect(handle.store.size).toBe(1);
    expect(server.verbs.slice(0, 2)).toEqual(['watchList', 'list']);
    expect(observer.errors).toEqual([expect.objectContaining({ code: 'UNEXPECTED_RESPONSE' })]);
  });
});
