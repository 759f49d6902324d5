import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Format } from '../frames/format.ts';
import type { ProtobufFormats } from './protobuf-formats.ts';
import { loadProtobufFormats } from './load-protobuf-formats.ts';
import { goFixture, goFixtures } from './go-fixture.test-support.ts';
import { enveloped, field } from './protobuf-bytes.test-support.ts';
import type { KubernetesObject } from '@keelson/apimachinery';

let formats: ProtobufFormats;
let pods: Format;

beforeAll(async () => {
  formats = await loadProtobufFormats();
  pods = formatOf('v1', 'Pod');
});

function formatOf(apiVersion: string, kind: string): Format {
  const format = formats.find(apiVersion, kind);
  if (format === undefined) throw new Error(`no format of ${kind}`);
  return format;
}

function scanned(format: Format, bytes: Buffer): ReturnType<Format['positions']> {
  const positions = format.positions();
  format.scan(bytes, 0, bytes.length, positions);
  return positions;
}

/** The message of an object, as an item of a list has it. */
function bodyOf(bytes: Buffer): Buffer {
  const positions = scanned(pods, bytes);
  const target = Buffer.alloc(bytes.length);
  const uncut = { ...positions, managedFieldsFrom: -1, managedFieldsTo: -1 };
  return target.subarray(0, pods.cut(bytes, 0, bytes.length, uncut, target, 0));
}

function cut(format: Format, bytes: Buffer): Buffer {
  const positions = scanned(format, bytes);
  const target = Buffer.alloc(format.cutLength(0, bytes.length, positions) + 3, 0xee);
  const length = format.cut(bytes, 0, bytes.length, positions, target, 3);
  return target.subarray(3, 3 + length);
}

const kinds = [...goFixtures.keys()].filter((name) => name !== 'list' && name !== 'watch');

describe('the protobuf format', () => {
  test.each(kinds)('decodes a %s to the JSON of the server, members in the same order', (name) => {
    const { protobuf, json } = goFixture(name);
    const { apiVersion = '', kind = '' } = json[0] as KubernetesObject;
    const decoded = formatOf(apiVersion, kind).decode(protobuf, 0, protobuf.length);
    expect(JSON.stringify(decoded)).toBe(JSON.stringify(json[0]));
    expect(decoded).toEqual(json[0]);
  });

  test('decodes an item of a list, which has no type', () => {
    const { protobuf, json } = goFixture('Pod');
    const { apiVersion: _, kind: __, ...item } = json[0] as KubernetesObject;
    const body = bodyOf(protobuf);
    expect(JSON.stringify(pods.decode(body, 0, body.length))).toBe(JSON.stringify(item));
  });

  test('decodes bytes within a larger buffer', () => {
    const { protobuf, json } = goFixture('Pod');
    const larger = Buffer.concat([Buffer.alloc(7, 0xff), protobuf, Buffer.alloc(9, 0xff)]);
    expect(pods.decode(larger, 7, 7 + protobuf.length)).toEqual(json[0]);
  });

  test('decodes the type that the envelope names', () => {
    const { protobuf, json } = goFixture('Status');
    expect(pods.decode(protobuf, 0, protobuf.length)).toEqual(json[0]);
  });

  test('reads the identity of an object without decoding it', () => {
    const { protobuf } = goFixture('Pod');
    const identity = {
      namespace: 'shop',
      name: 'cart-0',
      uid: '7f8a0c1e-3d52-4b7c-9a55-0f2f4a1d6c11',
      resourceVersion: '123456789',
    };
    expect(pods.identity(protobuf, 0, protobuf.length, scanned(pods, protobuf))).toEqual({
      kind: 'Pod',
      ...identity,
    });
    const body = bodyOf(protobuf);
    expect(pods.identity(body, 0, body.length, scanned(pods, body))).toEqual({
      kind: undefined,
      ...identity,
    });
  });

  test('reads an empty string as a missing part', () => {
    const body = field(1, field(1, 'node-1'), field(3, ''), field(5, ''));
    expect(pods.identity(body, 0, body.length, scanned(pods, body))).toEqual({
      kind: undefined,
      namespace: undefined,
      name: 'node-1',
      uid: undefined,
      resourceVersion: undefined,
    });
  });

  test('forgets the positions of the object before', () => {
    const { protobuf } = goFixture('Pod');
    const positions = scanned(pods, protobuf);
    const body = field(1, field(1, 'a'));
    pods.scan(body, 0, body.length, positions);
    expect(pods.identity(body, 0, body.length, positions)).toMatchObject({
      name: 'a',
      uid: undefined,
    });
  });

  test('reads the head without managedFields', () => {
    const { protobuf, json } = goFixture('Pod');
    const { apiVersion, kind, metadata } = json[0] as KubernetesObject;
    const { managedFields, ...rest } = metadata ?? {};
    expect(managedFields).toHaveLength(2);
    const head = pods.head(protobuf, 0, protobuf.length, scanned(pods, protobuf));
    expect(JSON.stringify(head)).toBe(JSON.stringify({ apiVersion, kind, metadata: rest }));
    const body = bodyOf(protobuf);
    expect(pods.head(body, 0, body.length, scanned(pods, body))).toEqual({ metadata: rest });
    for (const bytes of [protobuf, body]) {
      const read = pods.metadata(bytes, 0, bytes.length);
      expect(JSON.stringify(read)).toBe(JSON.stringify(rest));
    }
  });

  test.each(kinds)('cuts the managedFields of a %s and the envelope', (name) => {
    const { protobuf, json } = goFixture(name);
    const { apiVersion = '', kind = '', ...item } = json[0] as KubernetesObject;
    const format = formatOf(apiVersion, kind);
    const bytes = cut(format, protobuf);
    const { managedFields: _, ...metadata } = item.metadata ?? {};
    expect(JSON.stringify(format.decode(bytes, 0, bytes.length))).toBe(
      JSON.stringify({ ...item, metadata }),
    );
    expect(cut(format, bytes)).toEqual(bytes);
  });

  test('repairs a length of the metadata that takes fewer bytes without managedFields', () => {
    const entry = field(17, field(1, 'm'.repeat(200)));
    const spec = field(2, field(10, 'node-1'));
    const body = Buffer.concat([field(1, field(1, 'a'), entry, field(18, 'x')), spec]);
    const expected = Buffer.concat([field(1, field(1, 'a'), field(18, 'x')), spec]);
    expect(cut(pods, body)).toEqual(expected);
  });

  test('cuts metadata that are not the first field', () => {
    const spec = field(2, field(10, 'node-1'));
    const body = Buffer.concat([spec, field(1, field(1, 'a'), field(17, field(1, 'm')))]);
    expect(cut(pods, body)).toEqual(Buffer.concat([spec, field(1, field(1, 'a'))]));
  });

  test('refuses managedFields that are not one after the other', () => {
    const body = field(1, field(17, field(1, 'a')), field(1, 'b'), field(17, field(1, 'c')));
    expect(() => scanned(pods, body)).toThrow(malformed('managedFields are scattered'));
  });

  test.each([
    ['an object without metadata', field(2, field(10, 'node-1'))],
    ['an empty object', Buffer.alloc(0)],
  ])('refuses the identity and the head of %s', (_, body) => {
    const positions = scanned(pods, body);
    expect(() => pods.identity(body, 0, body.length, positions)).toThrow(malformed('no metadata'));
    expect(() => pods.head(body, 0, body.length, positions)).toThrow(malformed('no metadata'));
    expect(() => pods.metadata(body, 0, body.length)).toThrow(malformed('no metadata'));
  });

  test.each([
    [
      'a kind that the table lacks',
      enveloped(field(1), 'example.com/v1', 'Widget'),
      'unknown kind',
    ],
    ['an envelope without an object', Buffer.from('k8s\0'), 'the envelope is empty'],
    [
      'a compressed object',
      Buffer.concat([Buffer.from('k8s\0'), field(2, field(1)), field(3, 'gzip')]),
      'unknown envelope',
    ],
    [
      'two objects in one envelope',
      Buffer.concat([enveloped(field(1)), field(2, field(1))]),
      'unknown envelope',
    ],
    [
      'a field after the envelope',
      Buffer.concat([enveloped(field(1)), field(9)]),
      'unknown envelope',
    ],
  ])('refuses %s', (_, bytes, reason) => {
    expect(() => pods.decode(bytes, 0, bytes.length)).toThrow(malformed(reason));
  });

  test('decodes an envelope without a type as the kind of the format', () => {
    const bytes = enveloped(field(1, field(1, 'a')));
    expect(pods.decode(bytes, 0, bytes.length)).toMatchObject({ metadata: { name: 'a' } });
    expect(scanned(pods, bytes)).toMatchObject({ kindFrom: -1, apiVersionFrom: -1 });
  });
});

describe('the protobuf formats', () => {
  test('return the same format for the same kind, and none for a kind that they lack', () => {
    expect(formats.find('v1', 'Pod')).toBe(pods);
    expect(formats.find('apps/v1', 'Pod')).toBeUndefined();
    expect(formats.find('example.com/v1', 'Widget')).toBeUndefined();
    expect(pods.mediaType).toBe('application/vnd.kubernetes.protobuf');
  });

  test('have the metadata of every kind in its first field', () => {
    const named = field(1, field(1, 'a'), field(6, '7'));
    const withMetadata = formats.kinds.filter((name) => {
      const [apiVersion = '', kind = ''] = name.split(' ');
      const empty = formatOf(apiVersion, kind).decode(Buffer.alloc(0), 0, 0) as KubernetesObject;
      return empty.metadata !== undefined && kind !== 'Status' && kind !== 'PodStatusResult';
    });
    expect(withMetadata.length).toBeGreaterThan(130);
    for (const name of withMetadata) {
      const [apiVersion = '', kind = ''] = name.split(' ');
      expect(formatOf(apiVersion, kind).decode(named, 0, named.length)).toMatchObject({
        metadata: { name: 'a', resourceVersion: '7' },
      });
    }
  });
});

function malformed(reason: string): unknown {
  return expect.objectContaining({ code: 'MALFORMED_OBJECT', facts: { reason } });
}
