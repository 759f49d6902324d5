import { describe, expect, test } from '@jest/globals';
import { createApiServer } from '../server/api-server.ts';
import { RawClient } from '../server/raw-client.test-support.ts';
import { warningHeaders } from './warning-headers.ts';

describe('warningHeaders', () => {
  test('sends each text once, quoted', () => {
    expect(warningHeaders(['a "b"', 'a "b"', ''])).toEqual(['299 - "a \\"b\\""']);
  });

  // Recorded from kube-apiserver 1.36.3: number and length of texts, number and length of headers.
  test.each([
    [4, 1024, 4, 1024],
    [5, 1000, 5, 256],
    [1, 60_000, 1, 256],
    [20, 430, 16, 256],
    [60, 220, 19, 220],
  ])('of %d texts with %d characters sends %d with %d', (count, length, sent, left) => {
    const texts = Array.from({ length: count }, (_, at) => `${at}`.padEnd(length, 'é'));
    const headers = warningHeaders(texts);
    const found = headers.map((header) => Buffer.from(header, 'latin1').toString().length - 8);
    expect(found).toEqual(Array.from({ length: sent }, () => left));
  });

  test('keeps the response to an object with long unknown fields readable', async () => {
    await using server = await createApiServer();
    const path = '/api/v1/namespaces/default/configmaps';
    const names = Array.from({ length: 200 }, (_, at) => `${at}`.padEnd(1000, 'x'));
    const unknown = Object.fromEntries(names.map((name) => [name, 1]));
    const map = { metadata: { name: 'a' }, ...unknown };
    const { code, headers } = await new RawClient(server).post(path, map);
    expect([code, headers.get('warning')?.match(/299 - /g)?.length]).toEqual([201, 16]);
  });

  test('reports at most 100 unknown fields', async () => {
    await using server = await createApiServer();
    const path = '/api/v1/namespaces/default/configmaps';
    const unknown = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`u${at}`, 1]));
    const map = { metadata: { name: 'a' }, ...unknown };
    const { headers } = await new RawClient(server).post(path, map);
    expect(headers.get('warning')?.match(/299 - /g)).toHaveLength(100);
  });
});
