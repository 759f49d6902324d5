import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { builtin, StatusError } from '@keelson/apimachinery';
import type { Frame, FrameBatch } from '@keelson/wire';
import { createClient } from '../create-client.ts';
import { openClient } from '../../testing/open-client.test-support.ts';
import { json, rejection, status } from '../../testing/recording-server.test-support.ts';

const { signal } = new AbortController();

function line(type: string, name: string): string {
  return `${JSON.stringify({ type, object: { metadata: { name } } })}\n`;
}

function textOf({ buffer, from, to }: Frame): string {
  return Buffer.from(buffer.subarray(from, to)).toString();
}

function stream(response: ServerResponse): ServerResponse {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.flushHeaders();
  return response;
}

/** Copies the frames while they are valid, and returns them with the metadata of the list. */
async function read(
  batches: AsyncIterable<FrameBatch>,
): Promise<{ texts: string[][]; last: FrameBatch | undefined }> {
  const texts: string[][] = [];
  let last: FrameBatch | undefined;
  for await (const batch of batches) {
    texts.push(batch.frames.map((frame) => `${frame.type} ${textOf(frame)}`));
    last = batch;
  }
  return { texts, last };
}

const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' } };

describe('list', () => {
  test('RF08 sends exactly the requested parameters, and yields the items unparsed', async () => {
    await using setup = await openClient((_request, response) =>
      json(response, {
        kind: 'PodList',
        metadata: { resourceVersion: '7', continue: 'c' },
        items: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }],
      }),
    );
    const lister = setup.client.listerWatcher({
      resource: builtin.Pod,
      namespace: 'x',
      labelSelector: 'b=2,a=1',
      fieldSelector: 'status.phase=Running',
    });
    const shardSelector = "shardRange(object.metadata.uid, '0x0', '0x8')";
    const request = {
      resourceVersion: '0',
      limit: 500,
      continue: 'abc',
      shardSelector,
      labelSelector: 'c in (4,3)',
      signal,
    } as const;
    const { texts, last } = await read(lister.list(request));
    expect(texts.flat()).toEqual([
      'ADDED {"metadata":{"name":"a"}}',
      'ADDED {"metadata":{"name":"b"}}',
    ]);
    expect(last?.listMetadata).toEqual({ resourceVersion: '7', continue: 'c' });
    const [sent] = setup.server.requests;
    expect(sent?.method).toBe('GET');
    expect(sent?.url.pathname).toBe('/api/v1/namespaces/x/pods');
    expect(Object.fromEntries(sent?.url.searchParams ?? [])).toEqual({
      labelSelector: 'a=1,b=2,c in (3,4)',
      fieldSelector: 'status.phase=Running',
      limit: '500',
      continue: 'abc',
      resourceVersion: '0',
      shardSelector,
    });
    expect(sent?.headers['accept']).toBe('application/json');
    expect(sent?.headers['accept-encoding']).toBeUndefined();
  });

  test('a list of one object is bounded by its namespace and name, within its own selection', async () => {
    await using setup = await openClient((_request, response) =>
      json(response, { metadata: { resourceVersion: '7' }, items: [] }),
    );
    const { client, server } = setup;
    const one = { signal, name: { namespace: 'x', name: 'a' } };
    await read(client.listerWatcher({ resource: builtin.Pod }).list(one));
    const fieldSelector = 'status.phase=Running';
    await read(client.listerWatcher({ resource: builtin.Pod, fieldSelector }).list(one));
    await read(
      client.listerWatcher({ resource: builtin.Node }).list({ signal, name: { name: 'n' } }),
    );
    const asked = server.requests.map(({ url }) => url.pathname + decodeURIComponent(url.search));
    expect(asked).toEqual([
      '/api/v1/namespaces/x/pods?fieldSelector=metadata.name=a',
      '/api/v1/namespaces/x/pods?fieldSelector=metadata.name=a,status.phase=Running',
      '/api/v1/nodes?fieldSelector=metadata.name=n',
    ]);
  });

  test('an empty list yields metadata and no frame', async () => {
    await using setup = await openClient((_request, response) =>
      json(response, { metadata: { resourceVersion: '7' }, items: null }),
    );
    const { texts, last } = await read(
      setup.client.listerWatcher({ resource: builtin.Pod }).list({ signal }),
    );
    expect(texts.flat()).toEqual([]);
    expect(last?.listMetadata).toEqual({ resourceVersion: '7' });
  });

  test('requests metadata only with that projection', async () => {
    await using setup = await openClient((request, response) => {
      if (request.url.searchParams.has('watch')) stream(response).end();
      else json(response, { metadata: {}, items: [] });
    });
    const lister = setup.client.listerWatcher({ resource: builtin.Pod, projection: 'metadata' });
    await read(lister.list({ signal }));
    await read(lister.watch({ signal }));
    expect(setup.server.requests.map(({ headers }) => headers['accept'])).toEqual([
      'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
      'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
    ]);
  });

  test.each(['Table', 'Status'])('RF27 a response of kind %s throws', async (kind) => {
    await using setup = await openClient((_request, response) =>
      json(response, { kind, apiVersion: 'v1', metadata: {}, rows: [] }),
    );
    const lister = setup.client.listerWatcher({ resource: builtin.Pod });
    expect(await rejection(read(lister.list({ signal })))).toMatchObject({
      code: 'UNEXPECTED_RESPONSE',
      facts: { kind, path: '/api/v1/pods' },
    });
  });

  test('a response of another media type throws, and its socket is closed', async () => {
    await using setup = await openClient((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/yaml' });
      response.write('items:\n');
    });
    const lister = setup.client.listerWatcher({ resource: builtin.Pod });
    const error = await rejection(read(lister.list({ signal })));
    expect(error).toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
    while (setup.server.sockets.size > 0)
      await once([...setup.server.sockets][0] as Socket, 'close');
  });

  test('an unread page of a gateway does not end the process', async () => {
    await using setup = await openClient((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>log in</html>');
    });
    const lister = setup.client.listerWatcher({ resource: builtin.Pod });
    expect(await rejection(read(lister.watch({ signal })))).toMatchObject({
      code: 'UNEXPECTED_RESPONSE',
      facts: { contentType: 'text/html' },
    });
    // An error without a listener is thrown during these turns, and fails the test.
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  });

  test('errors of the API are not retried', async () => {
    await using setup = await openClient((_request, response) =>
      status(response, 429, 'TooManyRequests', { 'retry-after': '9' }),
    );
    const lister = setup.client.listerWatcher({ resource: builtin.Pod });
    const error = await rejection(read(lister.list({ signal })));
    expect(error).toBeInstanceOf(StatusError);
    expect(error).toMatchObject({ statusCode: 429, retryAfter: 9000 });
    await rejection(read(lister.watch({ signal })));
    expect(setup.server.requests).toHaveLength(2);
  });

  test('requests compression only on demand, and decompresses the response', async () => {
    const body = gzipSync(JSON.stringify({ metadata: {}, items: [{ metadata: { name: 'a' } }] }));
    await using setup = await openClient(
      (request, response) => {
        const zip = request.headers['accept-encoding'] === 'gzip';
        response.writeHead(200, {
          'content-type': 'application/json',
          ...(zip ? { 'content-encoding': 'gzip' } : {}),
        });
        response.end(body);
      },
      { compression: true },
    );
    const lister = setup.client.listerWatcher({ resource: builtin.Pod });
    const { texts } = await read(lister.list({ signal }));
    expect(texts.flat()).toEqual(['ADDED {"metadata":{"name":"a"}}']);
    const list = await setup.client.list(builtin.Pod);
    expect(list.items[0]?.metadata.name).toBe('a');
  });

  test('a compressed response that is cut off throws', async () => {
    const body = gzipSync(JSON.stringify({ metadata: {}, items: [{ metadata: { name: 'a' } }] }));
    await using setup = await openClient(
      (request, response) => {
        const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
        response.writeHead(200, { ...headers, 'content-length': body.length });
        response.write(body.subarray(0, 30), () => request.socket.destroy());
      },
      { compression: true },
    );
    const lister = setup.client.listerWatcher({ resource: builtin.Pod });
    const error = await rejection(read(lister.list({ signal })));
    expect(error).toMatchObject({ code: 'CONNECTION_LOST' });
  });

  test('an invalid selector is refused before a request is sent', () => {
    const client = createClient({ cluster: { server: 'http://127.0.0.1:1' } });
    expect(() => client.listerWatcher({ resource: builtin.Pod, labelSelector: 'a in (' })).toThrow(
      expect.objectContaining({ code: 'INVALID_LABEL_SELECTOR' }),
    );
    expect(() => client.listerWatcher({ resource: builtin.Pod, fieldSelector: 'x' })).toThrow(
      expect.objectContaining({ code: 'INVALID_FIELD_SELECTOR' }),
    );
    expect(() => client.listerWatcher({ resource: builtin.Pod, selector: 'x' } as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
  });
});

describe('watch', () => {
  test('RF08 sends exactly the requested parameters; the first batch is empty and arrives with the headers', async () => {
    await using setup = await openClient((_request, response) => void stream(response));
    const watcher = setup.client.listerWatcher({ resource: builtin.ConfigMap });
    const batches = watcher.watch({
      resourceVersion: '5',
      resourceVersionMatch: 'NotOlderThan',
      sendInitialEvents: true,
      allowWatchBookmarks: true,
      timeoutSeconds: 300,
      shardSelector: 'x',
      labelSelector: '!a',
      signal,
    });
    for await (const batch of batches) {
      expect(batch.frames).toEqual([]);
      break;
    }
    const [sent] = setup.server.requests;
    expect(sent?.url.pathname).toBe('/api/v1/configmaps');
    expect(Object.fromEntries(sent?.url.searchParams ?? [])).toEqual({
      watch: '1',
      resourceVersion: '5',
      resourceVersionMatch: 'NotOlderThan',
      sendInitialEvents: 'true',
      allowWatchBookmarks: 'true',
      timeoutSeconds: '300',
      shardSelector: 'x',
      labelSelector: '!a',
    });
  });

  test('RF41 a chunk that does not end an event yields an empty batch as a sign of life', async () => {
    const text = line('ADDED', 'a');
    const halves = Promise.withResolvers<ServerResponse>();
    await using setup = await openClient((_request, response) => halves.resolve(stream(response)));
    const watcher = setup.client.listerWatcher({ resource: builtin.ConfigMap });
    const batches = watcher.watch({ signal })[Symbol.asyncIterator]();
    await batches.next();
    const response = await halves.promise;
    response.write(text.slice(0, 10));
    const before = performance.now();
    const first = await batches.next();
    expect(first.value?.frames).toEqual([]);
    expect(first.value?.receivedAt).toBeGreaterThanOrEqual(before - 1000);
    response.end(text.slice(10));
    const second = await batches.next();
    expect(second.value?.frames.map(textOf)).toEqual(['{"metadata":{"name":"a"}}']);
    expect((await batches.next()).done).toBe(true);
  });

  test('throws an ERROR at the start, and yields a later one as a frame', async () => {
    const gone = JSON.stringify({
      type: 'ERROR',
      object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' },
    });
    await using setup = await openClient((_request, response, index) => {
      stream(response).end(`${index === 0 ? '' : line('ADDED', 'a')}${gone}\n`);
    });
    const watcher = setup.client.listerWatcher({ resource: builtin.ConfigMap });
    const error = await rejection(read(watcher.watch({ signal })));
    expect(error).toBeInstanceOf(StatusError);
    expect(error).toMatchObject({ statusCode: 410, reason: 'Expired' });
    const { texts } = await read(watcher.watch({ signal }));
    expect(texts.flat().map((text) => text.split(' ')[0])).toEqual(['ADDED', 'ERROR']);
  });

  test('the case of a media type has no meaning', async () => {
    await using setup = await openClient((_request, response) => {
      response.writeHead(200, { 'content-type': 'Application/JSON; charset=UTF-8' });
      response.end(line('ADDED', 'a'));
    });
    const watcher = setup.client.listerWatcher({ resource: builtin.ConfigMap });
    expect((await read(watcher.watch({ signal }))).texts.flat()).toHaveLength(1);
  });

  test('RF38 a 410 as HTTP status is thrown', async () => {
    await using setup = await openClient((_request, response) => status(response, 410, 'Expired'));
    const watcher = setup.client.listerWatcher({ resource: builtin.ConfigMap });
    expect(await rejection(read(watcher.watch({ signal })))).toMatchObject({ statusCode: 410 });
  });

  test('RF27 a watch of Tables throws', async () => {
    await using setup = await openClient((_request, response) => {
      stream(response).end('{"type":"ADDED","object":{"kind":"Table","rows":[]}}\n');
    });
    const watcher = setup.client.listerWatcher({ resource: builtin.ConfigMap });
    expect(await rejection(read(watcher.watch({ signal })))).toMatchObject({
      code: 'UNEXPECTED_RESPONSE',
    });
  });

  test('RF42 a truncated last line throws, even if the body ended regularly', async () => {
    await using setup = await openClient((_request, response) => {
      stream(response).end(line('ADDED', 'a') + line('ADDED', 'b').slice(0, 20));
    });
    const watcher = setup.client.listerWatcher({ resource: builtin.ConfigMap });
    expect(await rejection(read(watcher.watch({ signal })))).toMatchObject({
      code: 'TRUNCATED_RESPONSE',
    });
  });

  test('a connection reset throws CONNECTION_LOST after the frames that have arrived', async () => {
    await using setup = await openClient(({ socket }, response) => {
      stream(response).write(line('ADDED', 'a'), () => socket.resetAndDestroy());
    });
    const watcher = setup.client.listerWatcher({ resource: builtin.ConfigMap });
    expect(await rejection(read(watcher.watch({ signal })))).toMatchObject({
      code: 'CONNECTION_LOST',
      facts: { path: '/api/v1/configmaps' },
    });
  });

  test('RF43 yields an event larger than any chunk as one frame', async () => {
    const name = 'x'.repeat(2_000_000);
    await using setup = await openClient((_request, response) => {
      stream(response).end(line('ADDED', name));
    });
    const watcher = setup.client.listerWatcher({ resource: builtin.ConfigMap });
    const { texts } = await read(watcher.watch({ signal }));
    expect(texts.flat().map((text) => text.length)).toEqual([
      name.length + 'ADDED {"metadata":{"name":""}}'.length,
    ]);
  });

  test('RF02 an abort ends the stream, the request and its socket at once', async () => {
    const stop = new AbortController();
    await using setup = await openClient((_request, response) => void stream(response));
    const watcher = setup.client.listerWatcher({ resource: builtin.ConfigMap });
    const batches = watcher.watch({ signal: stop.signal })[Symbol.asyncIterator]();
    await batches.next();
    const [socket] = setup.server.sockets;
    const next = rejection(batches.next());
    stop.abort(new Error('enough'));
    expect((await next).message).toBe('enough');
    if (socket?.destroyed === false) await once(socket, 'close');
    expect(setup.server.sockets.size).toBe(0);
  });

  test('RF04 an abort during the start leaves no request open', async () => {
    const stop = new AbortController();
    const arrived = Promise.withResolvers<Socket>();
    await using setup = await openClient(({ socket }) => arrived.resolve(socket));
    const watcher = setup.client.listerWatcher({ resource: builtin.ConfigMap });
    const opening = rejection(read(watcher.watch({ signal: stop.signal })));
    const socket = await arrived.promise;
    stop.abort(new Error('enough'));
    expect((await opening).message).toBe('enough');
    if (!socket.destroyed) await once(socket, 'close');
  });

  test('leaving the loop closes the socket', async () => {
    await using setup = await openClient((_request, response) => {
      stream(response).write(line('ADDED', 'a'));
    });
    const watcher = setup.client.listerWatcher({ resource: builtin.ConfigMap });
    for await (const { frames } of watcher.watch({ signal })) if (frames.length > 0) break;
    while (setup.server.sockets.size > 0)
      await once([...setup.server.sockets][0] as Socket, 'close');
  });

  test('a slow consumer leads to backpressure instead of buffers in memory', async () => {
    const text = line('ADDED', 'x'.repeat(1000));
    const everything = 200_000_000;
    let written = 0;
    await using setup = await openClient(async (request, response) => {
      if (!request.url.searchParams.has('watch')) return json(response, node);
      stream(response);
      while (written < everything) {
        written += text.length;
        if (!response.write(text)) await once(response, 'drain');
      }
    });
    const { client } = setup;
    const watcher = client.listerWatcher({ resource: builtin.ConfigMap });
    const batches = watcher.watch({ signal })[Symbol.asyncIterator]();
    await batches.next();
    await batches.next();
    // The connection is full when nothing was written during many turns of the event loop.
    for (let before = -1; before !== written;) {
      before = written;
      for (let turn = 0; turn < 50; turn++) await client.get(builtin.Node, { name: 'a' });
    }
    expect(written).toBeLessThan(everything / 4);
    await batches.return?.();
  });

  test('two hundred open watches do not delay a request', async () => {
    await using setup = await openClient((request, response) => {
      if (request.url.searchParams.has('watch')) stream(response);
      else json(response, node);
    });
    const watcher = setup.client.listerWatcher({ resource: builtin.ConfigMap });
    const watches = Array.from({ length: 200 }, () =>
      watcher.watch({ signal })[Symbol.asyncIterator](),
    );
    await Promise.all(watches.map((each) => each.next()));
    await expect(setup.client.get(builtin.Node, { name: 'a' })).resolves.toEqual(node);
    expect(setup.server.sockets.size).toBe(201);
    await Promise.all(watches.map(async (each) => each.return?.()));
  });
});
