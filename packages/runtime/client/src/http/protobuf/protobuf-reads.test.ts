import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { builtin, defineResource, StatusError, type ApiResource } from '@keelson/apimachinery';
import type { FrameBatch } from '@keelson/wire';
import { createApiServer } from '@keelson/apiserver';
import type { Client } from '../../verbs/client.ts';
import { createClient } from '../../verbs/create-client.ts';
import { decoded } from '../../verbs/lists/frame-stream.ts';
import { openClient, type Setup } from '../../testing/open-client.test-support.ts';
import {
  json,
  rejection,
  status,
  type RecordedRequest,
  type Responder,
} from '../../testing/recording-server.test-support.ts';
import type { ProtobufRefusal } from './protobuf-reads.ts';

const { ConfigMap, Deployment } = builtin;
const { signal } = new AbortController();
const protobuf = 'application/vnd.kubernetes.protobuf';
const both = `${protobuf},application/json`;
const selection = { resourceVersion: '', signal };

/** A field of a message; numbers below 16 and lengths below 128. */
function field(number: number, ...parts: readonly (string | Buffer)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  return Buffer.concat([Buffer.from([number * 8 + 2, content.length]), content]);
}

function enveloped(kind: string, ...body: readonly Buffer[]): Buffer {
  const type = field(1, field(1, 'v1'), field(2, kind));
  return Buffer.concat([Buffer.from('k8s\0'), type, field(2, ...body)]);
}

/** A ConfigMap; a field beyond the metadata is one that Keelson does not know. */
function configMap(name: string, ...unknown: readonly Buffer[]): Buffer {
  return enveloped('ConfigMap', field(1, field(1, name), field(6, '5')), ...unknown);
}

function eventOf(type: string, object: Buffer): Buffer {
  const message = Buffer.concat([field(1, type), field(2, field(1, object))]);
  return Buffer.concat([Buffer.from([0, 0, 0, message.length]), message]);
}

const unknownField = field(15, 'new');
const expired = [field(3, 'too old'), field(4, 'Expired'), Buffer.from([6 * 8, 0x9a, 0x03])];

/** Sends `/version`, and other requests to `respond`. */
function withVersion(minor: string, respond: Responder): Responder {
  return (request, response, index) => {
    if (request.url.pathname !== '/version') return respond(request, response, index);
    return json(response, { major: '1', minor, gitVersion: `v1.${minor}.0` });
  };
}

const emptyList: Responder = (_request, response) =>
  json(response, { kind: 'ConfigMapList', metadata: { resourceVersion: '7' }, items: [] });

const acceptsOf = ({ server }: Setup): (string | undefined)[] =>
  server.requests.filter(isRead).map(({ headers }) => headers['accept']);
const isRead = ({ url }: RecordedRequest): boolean => url.pathname !== '/version';

async function objectsOf(batches: AsyncIterable<FrameBatch>): Promise<unknown[]> {
  const objects: unknown[] = [];
  for await (const { frames } of batches) objects.push(...frames.map((frame) => decoded(frame)));
  return objects;
}

async function list(client: Client, resource: ApiResource = ConfigMap): Promise<unknown[]> {
  return objectsOf(client.listerWatcher({ resource }).list(selection));
}

afterEach(() => void jest.restoreAllMocks());

describe('lists and watches in protobuf', () => {
  test('give the objects that JSON gives', async () => {
    await using server = await createApiServer({});
    await using client = createClient({ cluster: server.cluster, protobuf: true });
    const metadata = { name: 'a', namespace: 'default', labels: { app: 'web' } };
    const labels = { app: 'web' };
    const container = { name: 'web', image: 'web:1', resources: { limits: { cpu: '100m' } } };
    const written = await client.create(Deployment, {
      metadata,
      spec: {
        replicas: 0,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container] } },
      },
    });
    const seen: string[] = [];
    const lister = client.listerWatcher({ resource: Deployment, namespace: 'default' });
    const listed: unknown[] = [];
    for await (const { frames } of lister.list(selection)) {
      for (const frame of frames) {
        seen.push(frame.format?.mediaType ?? '');
        listed.push(decoded(frame));
      }
    }
    const { apiVersion: _, kind: __, ...stored } = await client.get(Deployment, metadata);
    const whole = { kind: 'Deployment', apiVersion: 'apps/v1', ...stored };
    expect(listed).toEqual([stored]);
    const stop = new AbortController();
    const request = { resourceVersion: '0', signal: stop.signal };
    for await (const { frames } of lister.watch(request)) {
      const [first] = frames;
      if (first === undefined) continue;
      seen.push(first.format?.mediaType ?? '');
      expect(decoded(first)).toEqual(whole);
      break;
    }
    expect(seen).toEqual([protobuf, protobuf]);
    expect(written.metadata.uid).toBe(whole.metadata.uid);
  });

  test('of a custom resource have metadata in protobuf, and whole objects in JSON', async () => {
    const widget = { kind: 'Widget', plural: 'widgets' };
    const Widget = defineResource({ group: 'example.com', version: 'v1', ...widget });
    await using setup = await openClient(withVersion('36', emptyList), { protobuf: true });
    await list(setup.client, Widget);
    const lister = setup.client.listerWatcher({ resource: Widget, projection: 'metadata' });
    await objectsOf(lister.list(selection));
    const parameters = ';as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
    expect(acceptsOf(setup)).toEqual([
      'application/json',
      `${protobuf}${parameters},application/json${parameters}`,
    ]);
  });

  test('may have JSON responses, and are in JSON with protobuf: false', async () => {
    await using setup = await openClient(withVersion('36', emptyList), { protobuf: true });
    await expect(list(setup.client)).resolves.toEqual([]);
    await using plain = await openClient(emptyList);
    await expect(list(plain.client)).resolves.toEqual([]);
    expect([acceptsOf(setup), acceptsOf(plain)]).toEqual([[both], ['application/json']]);
    expect(plain.server.requests).toHaveLength(1);
  });

  test.each([
    ['36', both],
    ['36+', both],
    ['30', both],
    ['37', 'application/json'],
    ['', 'application/json'],
  ])('of a server of version 1.%s are requested as %s', async (minor, accept) => {
    await using setup = await openClient(withVersion(minor, emptyList), { protobuf: true });
    await list(setup.client);
    expect(acceptsOf(setup)).toEqual([accept]);
  });

  test('are in JSON for 30 s if the version is not known, then it is requested again', async () => {
    const clock = jest.spyOn(performance, 'now');
    let isDown = true;
    const respond: Responder = (request, response, index) => {
      if (isDown && request.url.pathname === '/version') return json(response, {}, 503);
      return withVersion('36', emptyList)(request, response, index);
    };
    await using setup = await openClient(respond, { protobuf: true });
    clock.mockReturnValue(0);
    await Promise.all([list(setup.client), list(setup.client)]);
    isDown = false;
    clock.mockReturnValue(29_999);
    await list(setup.client);
    clock.mockReturnValue(30_000);
    await list(setup.client);
    clock.mockReturnValue(30_000 + 299_999);
    await list(setup.client);
    const json4 = 'application/json';
    expect(acceptsOf(setup)).toEqual([json4, json4, json4, both, both]);
    expect(setup.server.requests.filter((request) => !isRead(request))).toHaveLength(2);
  });

  test('have errors as Status in protobuf, in a response and in an event', async () => {
    const respond: Responder = ({ url }, response) => {
      const isWatch = url.searchParams.has('watch');
      response.writeHead(isWatch ? 200 : 410, { 'content-type': protobuf });
      response.end(
        isWatch
          ? eventOf('ERROR', enveloped('Status', ...expired))
          : enveloped('Status', ...expired),
      );
    };
    await using setup = await openClient(withVersion('36', respond), { protobuf: true });
    const lister = setup.client.listerWatcher({ resource: ConfigMap });
    for (const batches of [lister.list(selection), lister.watch(selection)]) {
      const error = await rejection(objectsOf(batches));
      expect(error).toBeInstanceOf(StatusError);
      expect(error).toMatchObject({ statusCode: 410, reason: 'Expired' });
    }
  });

  test('have an error without text for a Status that is not protobuf', async () => {
    const respond: Responder = (_request, response) => {
      response.writeHead(403, { 'content-type': protobuf });
      response.end('k8s\0 no');
    };
    await using setup = await openClient(withVersion('36', respond), { protobuf: true });
    const error = await rejection(list(setup.client));
    expect(error).toMatchObject({ statusCode: 403, reason: 'Forbidden' });
    expect(error.message).toContain('HTTP status 403');
  });
});

describe('a server that responds to protobuf with 406', () => {
  const respond = withVersion('36', (request, response, index) => {
    const isProtobuf = request.headers.accept?.startsWith(protobuf) === true;
    if (isProtobuf) return status(response, 406, 'NotAcceptable');
    return emptyList(request, response, index);
  });

  test.each(['list', 'watch'] as const)('receives requests for JSON after a %s', async (verb) => {
    await using setup = await openClient(respond, { protobuf: true });
    const lister = setup.client.listerWatcher({ resource: ConfigMap });
    const error = await rejection(objectsOf(lister[verb](selection)));
    expect(error).toMatchObject({ statusCode: 406 });
    await expect(list(setup.client)).resolves.toEqual([]);
    expect(acceptsOf(setup)).toEqual([both, 'application/json']);
  });

  test('is still read as protobuf if it refuses the projection to metadata', async () => {
    await using setup = await openClient(respond, { protobuf: true });
    const lister = setup.client.listerWatcher({ resource: ConfigMap, projection: 'metadata' });
    await rejection(objectsOf(lister.list(selection)));
    await rejection(objectsOf(lister.list(selection)));
    expect(acceptsOf(setup).map((accept) => accept?.startsWith(protobuf))).toEqual([true, true]);
  });
});

describe('a proxy that spoils only the responses to protobuf', () => {
  test.each(['list', 'watch'] as const)(
    'is read as JSON after three failures of a %s',
    async (verb) => {
      const refusals: ProtobufRefusal[] = [];
      const observer = { protobufRefused: (refusal: ProtobufRefusal) => refusals.push(refusal) };
      const spoiled: Responder = (request, response, index) => {
        const isProtobuf = request.headers.accept?.startsWith(protobuf) === true;
        if (isProtobuf) return status(response, 500, 'InternalError');
        if (!request.url.searchParams.has('watch')) return emptyList(request, response, index);
        response.writeHead(200, { 'content-type': 'application/json' });
        const metadata = { name: 'a', resourceVersion: '8' };
        response.end(
          `${JSON.stringify({ type: 'ADDED', object: { kind: 'ConfigMap', metadata } })}\n`,
        );
      };
      await using setup = await openClient(withVersion('36', spoiled), {
        protobuf: true,
        observer,
      });
      const lister = setup.client.listerWatcher({ resource: ConfigMap });
      const read = (): Promise<unknown[]> => objectsOf(lister[verb](selection));
      for (let count = 0; count < 3; count += 1) {
        expect(await rejection(read())).toMatchObject({ statusCode: 500 });
      }
      await read();
      await list(setup.client);
      expect(acceptsOf(setup)).toEqual([both, both, both, 'application/json', 'application/json']);
      const error: unknown = expect.objectContaining({ statusCode: 500 });
      expect(refusals).toEqual([{ apiVersion: 'v1', kind: 'ConfigMap', error }]);
    },
  );
});

describe('an object with a field that Keelson does not know', () => {
  const respond = withVersion('36', ({ url, headers }, response) => {
    const isProtobuf = headers.accept?.startsWith(protobuf) === true;
    if (!isProtobuf) return emptyList({ url, headers } as RecordedRequest, response, 0);
    response.writeHead(200, { 'content-type': protobuf });
    const isWatch = url.searchParams.has('watch');
    if (isWatch) return void response.write(eventOf('ADDED', configMap('a', unknownField)));
    const items = url.searchParams.has('limit') ? field(9, 'x') : field(2, unknownField);
    response.end(enveloped('ConfigMapList', field(1, field(2, '7')), items));
  });

  test('is refused, and ends its watch; the kind is read as JSON from then on', async () => {
    const refusals: ProtobufRefusal[] = [];
    const observer = { protobufRefused: (refusal: ProtobufRefusal) => refusals.push(refusal) };
    await using setup = await openClient(respond, { protobuf: true, observer });
    const lister = setup.client.listerWatcher({ resource: ConfigMap });
    let errors = 0;
    for await (const { frames } of lister.watch(selection)) {
      for (const { format, buffer, from, to } of frames) {
        expect(() => format?.decode(buffer, from, to)).toThrow(
          expect.objectContaining({ code: 'MALFORMED_OBJECT' }),
        );
        errors += 1;
      }
    }
    await list(setup.client);
    expect(errors).toBe(1);
    expect(acceptsOf(setup)).toEqual([both, 'application/json']);
    expect(refusals).toMatchObject([{ apiVersion: 'v1', kind: 'ConfigMap' }]);
  });

  test('is not assumed for a JSON response that is malformed', async () => {
    const refusals: ProtobufRefusal[] = [];
    const observer = { protobufRefused: (refusal: ProtobufRefusal) => refusals.push(refusal) };
    const malformed = withVersion('36', ({ url }, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(url.searchParams.has('watch') ? '{"type":"ADDED","object":null}\n' : '[');
    });
    await using setup = await openClient(malformed, { protobuf: true, observer });
    const lister = setup.client.listerWatcher({ resource: ConfigMap });
    const errors = [
      await rejection(objectsOf(lister.list(selection))),
      await rejection(objectsOf(lister.watch(selection))),
    ];
    expect(errors).toMatchObject([{ code: 'MALFORMED_LIST' }, { code: 'MALFORMED_WATCH_EVENT' }]);
    expect(refusals).toEqual([]);
    expect(acceptsOf(setup)).toEqual([both, both]);
  });

  test('is assumed for a watch whose bytes have no valid length', async () => {
    const text = withVersion('36', (_request, response) => {
      response.writeHead(200, { 'content-type': protobuf });
      response.end('{"type":"ADDED"}');
    });
    await using setup = await openClient(text, { protobuf: true });
    const lister = setup.client.listerWatcher({ resource: ConfigMap });
    const errors = [
      await rejection(objectsOf(lister.watch(selection))),
      await rejection(objectsOf(lister.watch(selection))),
    ];
    expect(errors).toMatchObject([{ code: 'FRAME_TOO_LARGE' }, { code: 'UNEXPECTED_RESPONSE' }]);
    expect(acceptsOf(setup)).toEqual([both, 'application/json']);
  });

  test('leaves the other kinds as they are', async () => {
    await using setup = await openClient(respond, { protobuf: true });
    await rejection(list(setup.client));
    await rejection(list(setup.client, builtin.Secret));
    expect(acceptsOf(setup)).toEqual([both, both]);
  });

  test('in the list itself fails the list, and the next one is JSON', async () => {
    await using setup = await openClient(respond, { protobuf: true });
    const lister = setup.client.listerWatcher({ resource: ConfigMap });
    const error = await rejection(objectsOf(lister.list({ ...selection, limit: 1 })));
    expect(error).toMatchObject({ code: 'MALFORMED_LIST' });
    await list(setup.client);
    expect(acceptsOf(setup)).toEqual([both, 'application/json']);
  });
});
