import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, createApiServer } from '../server/api-server.ts';
import { type Json, RawClient } from '../server/raw-client.test-support.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const fulls = '/apis/example.com/v1/namespaces/default/full';
const deployments = '/apis/apps/v1/namespaces/default/deployments';
const paths = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.selector',
};

function definition(plural: string, scale: object): Json {
  const any = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const openAPIV3Schema = { type: 'object', properties: { spec: any, status: any } };
  const subresources = { status: {}, scale };
  const v1 = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, subresources };
  return {
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural, kind: plural[0]?.toUpperCase() + plural.slice(1) },
      versions: [v1],
    },
  };
}

let server: ApiServer;
let client: RawClient;

beforeAll(async () => {
  server = await createApiServer();
  client = new RawClient(server);
  await client.post(crds, definition('full', paths));
  await server.idle();
  for (const [name, spec] of [
    ['three', { replicas: 3 }],
    ['silent', {}],
  ] as const) {
    const head = { apiVersion: 'example.com/v1', kind: 'Full' };
    expect((await client.post(fulls, { ...head, metadata: { name }, spec })).code).toBe(201);
  }
});

afterAll(() => server.close());

// Responses recorded from kube-apiserver 1.36.3.
describe('scale of a custom resource', () => {
  test('is an error until the object has replicas', async () => {
    const { code, body } = await client.get(`${fulls}/silent/scale`);
    const message = 'the spec replicas field ".spec.replicas" does not exist';
    expect([code, body.message]).toEqual([500, `Internal error occurred: ${message}`]);
    expect(body.details).toEqual({ causes: [{ message }] });
  });

  test('omits zero replicas, also in a table', async () => {
    const metadata = { name: 'three' };
    const path = `${fulls}/three/scale?dryRun=All`;
    expect((await client.put(path, { metadata })).body.spec).toEqual({});
    await client.put(`${fulls}/three/scale`, { metadata });
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const { body } = await client.get(`${fulls}/three/scale`, { accept });
    expect(body.rows[0].cells.slice(0, 3)).toEqual(['three', null, 0]);
    expect(body.columnDefinitions.map(({ format }: Json) => format)).toEqual(['name', '', '', '']);
    expect(body.columnDefinitions[1].description).toBe('Number of desired replicas');
    expect(body.columnDefinitions[3].type).toBe('date');
  });

  test.each([
    [{}, 'the name of the object (three based on URL) was undeterminable: name must be provided'],
    [
      { metadata: { name: 'other' } },
      'the name of the object (other) does not match the name on the URL (three)',
    ],
    ...[{ replicas: '1' }, { replicas: 1.5 }, { replicas: 3_000_000_000 }].map(
      (spec) =>
        [
          { metadata: { name: 'three' }, spec },
          'no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"',
        ] as const,
    ),
    [
      { apiVersion: 'autoscaling/v2', kind: 'Scale', metadata: { name: 'three' } },
      'no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"',
    ],
  ])('refuses a PUT of %j', async (scale, message) => {
    const { code, body } = await client.put(`${fulls}/three/scale`, scale);
    expect([code, body.message]).toEqual([400, message]);
  });

  test('is refused if the scaled object is invalid', async () => {
    const scale = { metadata: { name: 'three' }, spec: { replicas: -1 } };
    const { code, body } = await client.put(`${fulls}/three/scale`, scale);
    expect([code, body.message]).toEqual([
      422,
      'Full.example.com "three" is invalid: .spec.replicas: Invalid value: -1: should be a non-negative integer',
    ]);
  });

  const ownersOf = async (path: string): Promise<string[]> => {
    const { metadata } = (await client.get(path)).body;
    return metadata.managedFields
      .filter(({ fieldsV1 }: Json) => fieldsV1['f:spec']?.['f:replicas'] !== undefined)
      .map(({ manager, operation, subresource }: Json) =>
        [manager, operation, subresource ?? ''].join(' '),
      )
      .toSorted();
  };

  const createFull = async (name: string, spec: Json): Promise<string> => {
    const head = { apiVersion: 'example.com/v1', kind: 'Full', metadata: { name } };
    expect((await client.post(`${fulls}?fieldManager=creator`, { ...head, spec })).code).toBe(201);
    return `${fulls}/${name}`;
  };

  test('a patch owns the replicas, and a PUT without apiVersion removes their owner', async () => {
    const path = await createFull('owned', { replicas: 1, other: 1 });
    for (const manager of ['one', 'two']) {
      const spec = { replicas: manager === 'one' ? 4 : 5 };
      await client.patch(`${path}/scale?fieldManager=${manager}`, 'merge', { spec });
      expect(await ownersOf(path)).toEqual([`${manager} Update scale`]);
    }
    const metadata = { name: 'owned' };
    const apiVersion = 'autoscaling/v1';
    const put = { apiVersion, metadata, spec: { replicas: 6 } };
    await client.put(`${path}/scale?fieldManager=three`, put);
    expect(await ownersOf(path)).toEqual(['three Update scale']);
    await client.put(`${path}/scale`, { kind: 'Scale', metadata, spec: { replicas: 7 } });
    expect(await ownersOf(path)).toEqual([]);
    await client.put(`${path}/scale?fieldManager=three`, put);
    expect(await ownersOf(path)).toEqual([]);
  });

  test('applies the present replicas, and refuses to apply others', async () => {
    const path = await createFull('applied', { replicas: 1, other: 1 });
    const apply = (manager: string, replicas: unknown, more: object = {}): Promise<Json> => {
      const metadata = { name: 'applied', ...more };
      const head = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata };
      const query = `fieldManager=${manager}`;
      return client.patch(`${path}/scale?${query}`, 'apply', { ...head, spec: { replicas } });
    };
    const conflict = await apply('alice', 2);
    expect([conflict.code, conflict.body.message]).toEqual([
      409,
      'Apply failed with 1 conflict: conflict with "creator" using autoscaling/v1: .spec.replicas',
    ]);
    const wrongType = await apply('alice', 'x');
    expect([wrongType.code, wrongType.body.message]).toEqual([
      500,
      'failed to create typed patch object (/applied; autoscaling/v1, Kind=Scale): .spec.replicas: expected numeric (int or float), got string',
    ]);
    const why =
      'to proper version: request to convert CR to an invalid group/version: autoscaling/v1';
    for (const [replicas, more, names] of [
      [2, {}, '/applied'],
      [2, { namespace: 'default' }, 'default/applied'],
      [1, { labels: { a: 'b' } }, '/applied'],
      [1, { name: 'other' }, '/other'],
    ] as const) {
      const forced = await apply('alice&force=true', replicas, more);
      expect([forced.code, forced.body.message]).toEqual([
        500,
        `failed to convert new object (${names}; autoscaling/v1, Kind=Scale) ${why}`,
      ]);
    }
    const same = await apply('alice', 1);
    expect([same.code, same.body.spec]).toEqual([200, { replicas: 1 }]);
    expect(await ownersOf(path)).toEqual(['alice Apply scale', 'creator Update ']);
  });

  test('requires replicas in a patch if the object has none', async () => {
    const path = await createFull('empty', {});
    const message = 'the spec replicas field ".spec.replicas" cannot be empty';
    for (const patch of [{ metadata: {} }, { spec: { replicas: -2_147_483_648 } }]) {
      const { code, body } = await client.patch(`${path}/scale`, 'merge', patch);
      expect([code, body.message]).toEqual([400, message]);
    }
    const { code } = await client.patch(`${path}/scale`, 'merge', { spec: { replicas: 0 } });
    expect(code).toBe(200);
  });

  test('does not support apply without an owner, create and delete', async () => {
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'three' } };
    const path = `${fulls}/three/scale`;
    const applied = await client.patch(`${path}?fieldManager=a`, 'apply', scale);
    expect(applied.code).toBe(500);
    expect(applied.body.message).toMatch(/^failed to create manager for existing fields: /);
    const created = await client.post(path, {});
    expect([created.code, created.body.message, created.body.details]).toEqual([
      405,
      'create is not supported on resources of kind "full.example.com"',
      { group: 'example.com', kind: 'full' },
    ]);
    expect((await client.delete(path)).body.message).toBe(
      'delete is not supported on resources of kind "full.example.com"',
    );
  });
});

describe('scale of a built-in kind', () => {
  test('refuses a patch whose result does not decode with 422', async () => {
    const labels = { a: 'b' };
    const created = await client.post(deployments, {
      metadata: { name: 'web' },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: 'a', image: 'a' }] },
        },
      },
    });
    expect(created.code).toBe(201);
    const spec = { replicas: 3_000_000_000 };
    const { code, body } = await client.patch(`${deployments}/web/scale`, 'merge', { spec });
    expect(code).toBe(422);
    expect(body.message).toMatch(
      /^ "" is invalid: patch: Invalid value: .*: json: cannot unmarshal number 3000000000 into Go struct field ScaleSpec.spec.replicas of type int32$/,
    );
    const zero = await client.patch(`${deployments}/web/scale`, 'merge', { spec: null });
    expect(zero.body.spec).toEqual({});
  });
});

describe('definition with a scale', () => {
  test.each([
    [
      {},
      [
        'spec.subresources.scale.specReplicasPath: Required value',
        'spec.subresources.scale.statusReplicasPath: Required value',
      ],
    ],
    [
      { specReplicasPath: '.replicas', statusReplicasPath: 'status.replicas' },
      [
        'spec.subresources.scale.specReplicasPath: Invalid value: ".replicas": should be a json path under .spec',
        'spec.subresources.scale.statusReplicasPath: Invalid value: "status.replicas": must be a simple json path starting with .',
      ],
    ],
    [
      { ...paths, labelSelectorPath: '.selector' },
      [
        'spec.subresources.scale.labelSelectorPath: Invalid value: ".selector": should be a json path under either .spec or .status',
      ],
    ],
  ])('refuses the paths %j', async (scale, expected) => {
    const { code, body } = await client.post(crds, definition('wrong', scale));
    expect(code).toBe(422);
    const causes = body.details.causes.map(({ field, message }: Json) => `${field}: ${message}`);
    expect(causes).toEqual(expected);
  });
});
