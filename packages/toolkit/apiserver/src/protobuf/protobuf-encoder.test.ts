import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { apiVersionOf } from '@keelson/apimachinery';
import { builtinResources } from '../kinds/builtin-resources.ts';
import { decodeProtobuf } from './decode-protobuf.ts';
import { hasProtobuf, loadProtobufEncoder } from './protobuf-encoder.ts';
import { newestVersion } from '../releases/kubernetes-version.ts';

/** Bodies recorded from kube-apiserver 1.36, each in JSON and protobuf. */
const bodies = JSON.parse(
  readFileSync(new URL('../../data/fixtures/protobuf.json', import.meta.url), 'utf8'),
) as { protobuf: string; json: { kind: string; apiVersion: string } }[];

describe('ProtobufEncoder', () => {
  test.each(bodies.map((body) => [body.json.kind, body] as const))(
    'encodes %s as kube-apiserver does',
    async (_, { protobuf, json }) => {
      const encoder = await loadProtobufEncoder();
      const there = await decodeProtobuf(Buffer.from(protobuf, 'base64'));
      expect(await decodeProtobuf(encoder.object(json))).toEqual(there);
    },
  );

  test('keeps the microseconds of a time', async () => {
    const encoder = await loadProtobufEncoder();
    const spec = { renewTime: '2026-11-21T12:00:01.000042Z', leaseDurationSeconds: 15 };
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', spec };
    expect(await decodeProtobuf(encoder.object(lease))).toEqual(lease);
    const east = { ...lease, spec: { ...spec, renewTime: '2026-11-21T13:00:01.000042+01:00' } };
    expect(await decodeProtobuf(encoder.object(east))).toEqual(lease);
  });

  test('writes a list of encoded items', async () => {
    const encoder = await loadProtobufEncoder();
    const kinds = { apiVersion: 'v1', kind: 'ConfigMap' };
    const data = { a: 'ü', b: '' };
    const withData = { ...kinds, data };
    const metadata = { resourceVersion: '7', remainingItemCount: 3 };
    const items = [encoder.item(withData), encoder.item(kinds)];
    const list = encoder.list({ apiVersion: 'v1', kind: 'ConfigMapList', metadata, items });
    expect(await decodeProtobuf(list)).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMapList',
      metadata,
      items: [{ data }, {}],
    });
  });

  test('writes an APIService', async () => {
    const encoder = await loadProtobufEncoder();
    const kinds = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' };
    const object = {
      ...kinds,
      metadata: { name: 'v1.example.com' },
      spec: {
        service: { namespace: 'default', name: 'api', port: 443 },
        group: 'example.com',
        version: 'v1',
        caBundle: 'Y2E=',
        groupPriorityMinimum: 100,
        versionPriority: 10,
      },
      status: { conditions: [{ type: 'Available', status: 'True', reason: 'Passed' }] },
    };
    expect(await decodeProtobuf(encoder.object(object))).toMatchObject(object);
  });

  test('every built-in kind has a protobuf', () => {
    const kinds = builtinResources(newestVersion).map((resource) => ({
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
    }));
    expect(kinds.length).toBeGreaterThan(50);
    expect(kinds.filter((kind) => !hasProtobuf(kind))).toEqual([]);
  });

  test('hasProtobuf knows the kinds with a protobuf', () => {
    expect(hasProtobuf({ apiVersion: 'apps/v1', kind: 'Deployment' })).toBe(true);
    expect(hasProtobuf({ apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' })).toBe(true);
    expect(hasProtobuf({ apiVersion: 'meta.k8s.io/v1', kind: 'Table' })).toBe(false);
    expect(hasProtobuf({ apiVersion: 'example.com/v1', kind: 'Widget' })).toBe(false);
  });
});
