import { describe, expect, test } from '@jest/globals';
import { clientOfRunningServer } from '../server/running-server.test-support.ts';

const core = '/api/v1/namespaces/default';
const maps = `${core}/configmaps`;

// Recorded from kube-apiserver 1.36.3.
describe('the protocol of requests', () => {
  const client = clientOfRunningServer();

  test.each([
    ['APPLICATION/MERGE-PATCH+JSON', '415: Unsupported Media Type'],
    ['application/Apply-patch+yaml', '415: Unsupported Media Type'],
    ['application/merge-patch+json ; charset=utf-8', 'the body of the request was in an unknown'],
    ['application/merge-patch+json, application/json', 'the body of the request was in an unknown'],
    ['application/merge-patch+json;x', 'configmaps "none" not found'],
  ])('a patch of the type %j gets %j', async (type, message) => {
    const { body } = await client.send(
      'PATCH',
      `${maps}/none?fieldManager=m`,
      {},
      {
        'content-type': type,
      },
    );
    expect(body.message).toContain(message);
  });

  test('a create of a type in upper case is accepted', async () => {
    const headers = { 'content-type': 'APPLICATION/JSON' };
    const body = { metadata: { name: 'upper' } };
    expect((await client.send('POST', `${maps}?dryRun=All`, body, headers)).code).toBe(201);
  });

  test.each([
    ['%07', ['"\\a": invalid character U+0007 (at position 0)']],
    [
      'a%C3%A9%07b%09',
      [
        '"aé\\ab\\t": invalid character U+0007 (at position 3)',
        '"aé\\ab\\t": invalid character U+0009 (at position 5)',
      ],
    ],
    ['%F0%9F%98%80%C2%A0', ['"😀\\u00a0": invalid character U+00A0 (at position 4)']],
  ])('the field manager %s is refused', async (manager, texts) => {
    const path = `${maps}?dryRun=All&fieldManager=${manager}`;
    const { code, body } = await client.post(path, { metadata: { name: 'm' } });
    const messages = (body.details.causes as { message: string }[]).map(({ message }) => message);
    expect([code, messages]).toEqual([422, texts.map((text) => `Invalid value: ${text}`)]);
  });

  test.each(['a b', 'é😀', 'e\u0301'])('the field manager %j is accepted', async (manager) => {
    const path = `${maps}?dryRun=All&fieldManager=${encodeURIComponent(manager)}`;
    expect((await client.post(path, { metadata: { name: 'm' } })).code).toBe(201);
  });

  test.each([
    [`${maps}?watch=1&resourceVersion=`, 500],
    [`${maps}?resourceVersion=`, 400],
    [`${maps}/none?resourceVersion=`, 500],
  ])('a resourceVersion beyond 64 bits of %s gets %i', async (path, code) => {
    const { code: found, body } = await client.get(`${path}18446744073709551616`);
    expect([found, body.message]).toEqual([code, expect.stringContaining('value out of range')]);
  });

  test.each([
    ['', 'empty data (<empty>)'],
    ['k8s\0', 'empty body (6b387300)'],
    ['x', 'expected prefix [107 56 115 0] (78)'],
  ])('a body %j in protobuf gets 400', async (text, message) => {
    const headers = { 'content-type': 'application/vnd.kubernetes.protobuf' };
    const { code, body } = await client.post(maps, text, headers);
    expect([code, body.message]).toEqual([400, expect.stringContaining(message)]);
  });

  test('a Scale is served as metadata', async () => {
    const sets = '/apis/apps/v1/namespaces/default/replicasets';
    const labels = { a: 'b' };
    const spec = {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    };
    await client.post(sets, { metadata: { name: 'r' }, spec });
    const accept = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
    const { body } = await client.send('GET', `${sets}/r/scale`, undefined, { accept });
    expect([body.kind, body.metadata.name, body.spec]).toEqual([
      'PartialObjectMetadata',
      'r',
      undefined,
    ]);
  });

  test('a Table of claims shows the class of the annotation, and a capacity once bound', async () => {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const metadata = {
      name: 'c',
      annotations: { 'volume.beta.kubernetes.io/storage-class': 'fast' },
    };
    const spec = {
      volumeName: 'v',
      storageClassName: 'slow',
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
    };
    const path = `${core}/persistentvolumeclaims?dryRun=All`;
    const { body } = await client.send('POST', path, { metadata, spec }, { accept });
    expect([body.metadata, body.rows[0].cells[3], body.rows[0].cells[5]]).toEqual([
      {},
      '0',
      'fast',
    ]);
  });

  test.each([
    ['GET', '/apis/authorization.k8s.io/v1/subjectaccessreviews/a', 404],
    ['GET', '/apis/authorization.k8s.io/v1/subjectaccessreviews', 405],
    ['POST', '/apis/authorization.k8s.io/v1/localsubjectaccessreviews', 404],
    ['PUT', `${core}/bindings/a`, 404],
    ['GET', `${core}/bindings`, 405],
    ['POST', '/api/v1/bindings', 404],
  ])('%s %s gets %i, also as a Table', async (method, path, code) => {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const body = method === 'GET' ? undefined : {};
    expect((await client.send(method, path, body, { accept })).code).toBe(code);
    expect((await client.send(method, path, body)).code).toBe(code);
  });
});
