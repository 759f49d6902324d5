import { describe, expect, test } from '@jest/globals';
import { openApiV2Document, openApiV3Document, openApiV3Index } from './openapi-document.ts';

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const gizmo = {
  group: 'example.com',
  version: 'v1',
  kind: 'Gizmo',
  plural: 'gizmos',
  namespaced: true,
  verbs,
  subresources: [
    { name: 'status', group: 'example.com', version: 'v1', kind: 'Gizmo', verbs: ['get', 'patch'] },
  ],
};
const pod = { ...gizmo, group: '', kind: 'Pod', plural: 'pods', subresources: [] };
const definitions = {
  'core.Pod': {
    properties: { spec: { $ref: '#/definitions/core.PodSpec' } },
    'x-kubernetes-group-version-kind': [{ group: '', version: 'v1', kind: 'Pod' }],
  },
  'core.PodSpec': { properties: { self: { $ref: '#/definitions/core.PodSpec' } } },
  'core.Unused': {},
  'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta': { type: 'object' },
  'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta': { type: 'object' },
};
const custom = {
  group: 'example.com',
  version: 'v1',
  kind: 'Gizmo',
  listKind: 'GizmoList',
  plural: 'gizmos',
  schema: {
    type: 'object',
    properties: {
      metadata: { type: 'object' },
      spec: { type: 'object', properties: { size: { type: 'integer', default: 1 } } },
    },
  },
};
const source = {
  resources: [pod, gizmo],
  customs: [custom],
  definitions,
  kubernetesVersion: 'v1.2.3',
};

interface Document {
  paths: Record<string, Record<string, { parameters: { name: string }[] }>>;
  components: { schemas: Record<string, object> };
  definitions: Record<string, object>;
}

describe('OpenAPI documents', () => {
  test('the index names every group version; its hash follows the CRDs', () => {
    const index = openApiV3Index(source) as {
      paths: Record<string, { serverRelativeURL: string }>;
    };
    expect(Object.keys(index.paths)).toEqual(['api/v1', 'apis/example.com/v1']);
    const changed = { ...source, customs: [{ ...custom, schema: { type: 'object' } }] };
    const other = openApiV3Index(changed) as typeof index;
    expect(other.paths['api/v1']).toEqual(index.paths['api/v1']);
    expect(other.paths['apis/example.com/v1']).not.toEqual(index.paths['apis/example.com/v1']);
  });

  test('a group version has its kinds and what they refer to, in the form of OpenAPI 3', () => {
    const document = openApiV3Document('api/v1', source) as Document;
    expect(Object.keys(document.components.schemas).toSorted()).toEqual([
      'core.Pod',
      'core.PodSpec',
    ]);
    expect(document.components.schemas['core.Pod']).toMatchObject({
      properties: { spec: { $ref: '#/components/schemas/core.PodSpec' } },
    });
  });

  test('kubectl finds fieldValidation at the patch of an object', () => {
    const document = openApiV3Document('apis/example.com/v1', source) as Document;
    const patch =
      document.paths['/apis/example.com/v1/namespaces/{namespace}/gizmos/{name}']?.patch;
    expect(patch).toMatchObject({
      'x-kubernetes-group-version-kind': { group: 'example.com', kind: 'Gizmo', version: 'v1' },
    });
    expect(patch?.parameters.map(({ name }) => name)).toContain('fieldValidation');
    expect(document.paths).toHaveProperty([
      '/apis/example.com/v1/namespaces/{namespace}/gizmos/{name}/status',
      'patch',
    ]);
  });

  test('a custom resource has its schema, standard metadata and a list', () => {
    const { schemas } = (openApiV3Document('apis/example.com/v1', source) as Document).components;
    expect(schemas['com.example.v1.Gizmo']).toMatchObject({
      properties: {
        metadata: { allOf: [{ $ref: expect.stringContaining('ObjectMeta') }] },
        spec: { properties: { size: { type: 'integer', default: 1 } } },
      },
      'x-kubernetes-group-version-kind': [{ group: 'example.com', kind: 'Gizmo', version: 'v1' }],
    });
    expect(schemas).toHaveProperty(['com.example.v1.GizmoList']);
    expect(schemas).toHaveProperty(['io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta']);
  });

  test('Swagger has everything in one document, without defaults of custom resources', () => {
    const document = openApiV2Document(source) as Document;
    expect(Object.keys(document.definitions)).toEqual(
      expect.arrayContaining(['core.Unused', 'com.example.v1.Gizmo', 'com.example.v1.GizmoList']),
    );
    expect(document.definitions['com.example.v1.Gizmo']).toMatchObject({
      properties: { spec: { properties: { size: { type: 'integer' } } } },
    });
    expect(JSON.stringify(document.definitions['com.example.v1.Gizmo'])).not.toContain('default');
  });

  test('a group version that is not served has no document', () => {
    expect(openApiV3Document('apis/nowhere/v1', source)).toBeUndefined();
  });
});
