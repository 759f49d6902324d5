import { request as httpRequest, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { type ApiServer, createApiServer } from '../server/api-server.ts';
import { decodeProtobuf } from './decode-protobuf.ts';

const protobuf = 'application/vnd.kubernetes.protobuf';
const maps = '/api/v1/namespaces/default/configmaps';

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gizmos.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: { plural: 'gizmos', kind: 'Gizmo' },
    versions: [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
    ],
  },
};

async function serverWithMap(): Promise<ApiServer> {
  const server = await createApiServer();
  const metadata = { name: 'm', namespace: 'default' };
  server.seed([{ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: 'b' } } as never]);
  return server;
}

/** Sends a request and resolves with the response before its body has arrived. */
async function send(
  server: ApiServer,
  path: string,
  accept: string,
  method = 'GET',
): Promise<IncomingMessage> {
  const { token } = server.cluster;
  const headers = { Accept: accept, Authorization: `Bearer ${token}` };
  const request = httpRequest(`${server.url}${path}`, { method, headers }).end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

async function decoded(
  server: ApiServer,
  path: string,
  accept: string = protobuf,
): Promise<{ readonly type: string | undefined; readonly object: unknown }> {
  const response = await send(server, path, accept);
  const object = await decodeProtobuf(Buffer.concat(await response.toArray()));
  return { type: response.headers['content-type'], object };
}

/** Reads this many events of a watch. */
async function eventsOf(response: IncomingMessage, count: number): Promise<string[]> {
  const events: string[] = [];
  let rest = Buffer.alloc(0);
  for await (const chunk of response) {
    rest = Buffer.concat([rest, chunk as Buffer]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE()) {
      const end = 4 + rest.readUInt32BE();
      events.push(rest.subarray(4, end).toString('latin1'));
      rest = rest.subarray(end);
    }
    if (events.length >= count) break;
  }
  return events;
}

/** Expects the frame to contain these texts in this order. */
function expectWords(frame: string | undefined, ...words: readonly string[]): void {
  expect(frame).toMatch(new RegExp(words.join('[^]*')));
}

describe('responses in protobuf', () => {
  test('contain an object or a list', async () => {
    await using server = await serverWithMap();
    const object = { metadata: { name: 'm', namespace: 'default' }, data: { a: 'b' } };
    expect(await decoded(server, `${maps}/m`)).toMatchObject({
      type: protobuf,
      object: { apiVersion: 'v1', kind: 'ConfigMap', ...object },
    });
    expect(await decoded(server, maps)).toMatchObject({
      type: protobuf,
      object: { apiVersion: 'v1', kind: 'ConfigMapList', items: [object] },
    });
  });

  test('contain metadata or a refusal', async () => {
    await using server = await serverWithMap();
    const managedFields = [expect.objectContaining({ manager: 'seed' })];
    const partial = `${protobuf};as=PartialObjectMetadataList;v=v1;g=meta.k8s.io`;
    expect((await decoded(server, maps, partial)).object).toEqual({
      apiVersion: 'meta.k8s.io/v1',
      kind: 'PartialObjectMetadataList',
      metadata: { resourceVersion: expect.any(String) },
      items: [{ metadata: expect.objectContaining({ name: 'm', managedFields }) }],
    });
    const former = await decoded(server, maps, partial.replace('v=v1;', 'v=v1beta1;'));
    expect(former.object).toMatchObject({
      apiVersion: 'meta.k8s.io/v1beta1',
      metadata: { resourceVersion: expect.any(String) },
      items: [{ metadata: { name: 'm' } }],
    });
    expect(await decoded(server, `${maps}/nothing`)).toMatchObject({
      type: protobuf,
      object: { kind: 'Status', reason: 'NotFound', code: 404 },
    });
  });

  test('contain the result of a delete', async () => {
    await using server = await serverWithMap();
    const response = await send(server, `${maps}/m`, protobuf, 'DELETE');
    expect(await decodeProtobuf(Buffer.concat(await response.toArray()))).toMatchObject({
      kind: 'Status',
      status: 'Success',
      details: { name: 'm' },
    });
  });

  test('contain the events of a watch as frames', async () => {
    await using server = await serverWithMap();
    const path = `${maps}?watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan`;
    const response = await send(server, path, protobuf);
    expect(response.headers['content-type']).toBe(`${protobuf};stream=watch`);
    const [added, bookmark] = await eventsOf(response, 2);
    expectWords(added, 'ADDED', 'k8s', 'ConfigMap');
    expectWords(bookmark, 'BOOKMARK', 'k8s', 'initial-events-end');
  });

  test('report an expired version of a watch as a frame', async () => {
    await using server = await serverWithMap();
    const from = server.resourceVersion;
    server.seed([
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'n', namespace: 'default' } },
    ]);
    server.compact();
    const response = await send(server, `${maps}?watch=1&resourceVersion=${from}`, protobuf);
    const [error] = await eventsOf(response, 1);
    expectWords(error, 'ERROR', 'k8s', 'Expired');
  });

  test('are replaced by JSON for kinds without protobuf if the client accepts it', async () => {
    await using server = await createApiServer();
    server.seed([definition]);
    await server.idle();
    const path = '/apis/example.com/v1/gizmos';
    const response = await send(server, path, `${protobuf}, */*`);
    expect(response.headers['content-type']).toBe('application/json');
    await response.toArray();
    expect((await send(server, path, protobuf)).statusCode).toBe(406);
  });
});
