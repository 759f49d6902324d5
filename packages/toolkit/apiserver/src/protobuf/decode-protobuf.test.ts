import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { decodeProtobuf } from './decode-protobuf.ts';

/** Bodies recorded from kube-apiserver 1.36, each in JSON and protobuf. */
const bodies = JSON.parse(
  readFileSync(new URL('../../data/fixtures/protobuf.json', import.meta.url), 'utf8'),
) as { protobuf: string; json: { kind: string; apiVersion: string } }[];

/** Removes empty fields. Go always encodes them in protobuf, and in JSON only without `omitempty`. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, withoutEmpty(inner)] as const);
  return Object.fromEntries(entries.filter(([, inner]) => !isEmpty(inner)));
}

function isEmpty(value: unknown): boolean {
  if (value === '' || value === 0 || value === false || value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

describe('decodeProtobuf', () => {
  test.each(bodies.map((body) => [body.json.kind, body] as const))(
    'decodes %s to its JSON',
    async (_, { protobuf, json }) => {
      const decoded = await decodeProtobuf(Buffer.from(protobuf, 'base64'));
      expect(withoutEmpty(decoded)).toEqual(withoutEmpty(json));
    },
  );

  test('keeps an empty message behind a pointer, such as an emptyDir', async () => {
    const pod = bodies.find(({ json }) => json.kind === 'Pod');
    expect(await decodeProtobuf(Buffer.from(pod?.protobuf ?? '', 'base64'))).toMatchObject({
      spec: { volumes: [{ name: 'v' }, { name: 'e', emptyDir: {} }] },
    });
  });

  test.each([
    ['', 'empty data'],
    ['k8s\0', 'empty body'],
    [
      '{"kind":"Pod"}',
      'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
    ],
  ])('refuses %j', async (text, message) => {
    await expect(decodeProtobuf(Buffer.from(text))).rejects.toThrow(new SyntaxError(message));
  });

  test('returns only the type of a kind without protobuf', async () => {
    const custom = Buffer.concat([
      Buffer.from('k8s\0'),
      Buffer.from([10, 16, 10, 8]),
      Buffer.from('x.dev/v1'),
      Buffer.from([18, 4]),
      Buffer.from('Shop'),
    ]);
    expect(await decodeProtobuf(custom)).toEqual({ apiVersion: 'x.dev/v1', kind: 'Shop' });
  });
});
