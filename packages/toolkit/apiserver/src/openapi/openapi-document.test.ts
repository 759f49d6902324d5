import { describe, expect, test } from '@jest/globals';
import { builtinResources } from '../kinds/builtin-resources.ts';
import type { CustomSchema } from './custom-schema.ts';
import { openApiV2Document, openApiV3Document, openApiV3Index } from './openapi-document.ts';
import { newestVersion } from '../releases/kubernetes-version.ts';

const gizmo: CustomSchema = {
  group: 'tools.example.com',
  version: 'v1',
  kind: 'Gizmo',
  listKind: 'GizmoList',
  plural: 'gizmos',
  namespaced: true,
  subresources: ['status'],
  selectablePaths: ['spec.color'],
  schema: {
    type: 'object',
    properties: {
      metadata: { type: 'object' },
      spec: {
        type: 'object',
        required: ['color', 'maybe'],
        properties: {
          color: { type: 'string', default: 'red' },
          maybe: { type: 'string', nullable: true },
          size: { 'x-kubernetes-int-or-string': true },
          free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          inner: { type: 'object', 'x-kubernetes-embedded-resource': true },
          choice: { type: 'integer', oneOf: [{ minimum: 1 }] },
        },
      },
    },
  },
};
const kubernetesVersion = 'v1.2.3';
const plain = { customs: [], kubernetesVersion };
const source = { customs: [gizmo], kubernetesVersion };
const gizmoPath = 'apis/tools.example.com/v1';

interface Document {
  paths: Record<string, Record<string, { operationId: string; description: string }>>;
  components: { schemas: Record<string, object> };
}

function documentAt(path: string, of = source): Document {
  return openApiV3Document(path, of) as Document;
}

function pathsOf(of: object): Record<string, { serverRelativeURL: string }> {
  return (openApiV3Index(of as typeof source) as { paths: never }).paths;
}

/** The schema names that a document refers to without defining them. */
function missingIn(document: object): string[] {
  const text = JSON.stringify(document);
  const { components, ...sections } = document as Partial<Document> & Record<string, unknown>;
  const known = [components?.schemas, sections['definitions'], sections['parameters']].flatMap(
    (section) => Object.keys(section ?? {}),
  );
  const names = new Set(known);
  const references = [...text.matchAll(/"#\/(?:[^"]*\/)?([^"/]+)"/g)].map(([, name = '']) => name);
  return references.filter((name) => !names.has(name));
}

describe('OpenAPI documents', () => {
  test('the index lists the roots, every group and every group version', () => {
    const served = builtinResources(newestVersion).flatMap(({ group, version }) =>
      group === '' ? [`api/${version}`] : [`apis/${group}`, `apis/${group}/${version}`],
    );
    const expected = new Set(['api', 'apis', 'version', gizmoPath, ...served]);
    expect(Object.keys(pathsOf(source))).toEqual([...expected].toSorted());
  });

  test('the index changes only the URL of the group version whose definition changed', () => {
    const changed = { ...source, customs: [{ ...gizmo, schema: { type: 'object' } }] };
    const [before, after] = [pathsOf(source), pathsOf(changed)];
    expect(after['api/v1']).toEqual(before['api/v1']);
    expect(after[gizmoPath]).not.toEqual(before[gizmoPath]);
  });

  test('every document defines all schemas that it refers to', () => {
    const paths = Object.keys(pathsOf(source));
    expect(paths.length).toBeGreaterThan(40);
    for (const path of paths) expect([path, missingIn(documentAt(path))]).toEqual([path, []]);
    expect(missingIn(openApiV2Document(source))).toEqual([]);
  });

  test('every resource has its kind and its paths, for all namespaces and for one', () => {
    const { paths, components } = documentAt('api/v1', plain);
    expect(paths['/api/v1/pods']?.['get']?.operationId).toBe('listCoreV1PodForAllNamespaces');
    expect(paths).toHaveProperty(['/api/v1/namespaces/{namespace}/pods/{name}', 'patch']);
    expect(components.schemas).toHaveProperty(['io.k8s.api.core.v1.PodList']);
    for (const { group, version, plural } of builtinResources(newestVersion)) {
      const path = group === '' ? `api/${version}` : `apis/${group}/${version}`;
      const urls = Object.keys(documentAt(path, plain).paths);
      expect(urls.filter((url) => url.endsWith(`/${plural}`))).not.toEqual([]);
    }
  });

  test('the schemas contain the descriptions that kubectl explain prints', () => {
    const { schemas } = documentAt('apis/apps/v1', plain).components;
    expect(schemas['io.k8s.api.apps.v1.DeploymentSpec']).toMatchObject({
      required: ['selector', 'template'],
      properties: {
        replicas: { description: expect.stringContaining('Number of desired pods') },
      },
    });
  });

  test('a custom resource has paths only for its own subresources', () => {
    const { paths } = documentAt(gizmoPath);
    const item = '/apis/tools.example.com/v1/namespaces/{namespace}/gizmos/{name}';
    expect(Object.keys(paths)).toEqual([
      '/apis/tools.example.com/v1/gizmos',
      '/apis/tools.example.com/v1/namespaces/{namespace}/gizmos',
      item,
      `${item}/status`,
    ]);
    expect(paths[item]?.['patch']).toMatchObject({
      operationId: 'patchToolsExampleComV1NamespacedGizmo',
      tags: ['toolsExampleCom_v1'],
      'x-kubernetes-group-version-kind': { group: 'tools.example.com', kind: 'Gizmo' },
    });
    expect(Object.keys(openApiV2Document(source).paths)).toEqual(
      expect.arrayContaining(Object.keys(paths)),
    );
  });

  test('the description of an operation uses "an" before a kind with a vowel', () => {
    const apple = { ...gizmo, kind: 'Apple', plural: 'apples', namespaced: false };
    const { paths } = documentAt(gizmoPath, { ...source, customs: [gizmo, apple] });
    expect(paths).toHaveProperty(['/apis/tools.example.com/v1/gizmos']);
    const url = '/apis/tools.example.com/v1/apples/{name}';
    expect(paths[url]?.['delete']?.description).toBe('delete an Apple');
    expect(paths[url]?.['get']?.operationId).toBe('readToolsExampleComV1Apple');
  });

  test('an OpenAPI 3 schema extends the schema of the definition by the standard members', () => {
    const { schemas } = documentAt(gizmoPath).components;
    expect(schemas['com.example.tools.v1.Gizmo']).toMatchObject({
      properties: {
        kind: { description: expect.stringContaining('Kind is a string') },
        metadata: { allOf: [{ $ref: expect.stringContaining('ObjectMeta') }] },
        spec: {
          required: ['color', 'maybe'],
          properties: {
            color: { type: 'string', default: 'red' },
            maybe: { type: 'string', nullable: true },
            size: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
            inner: { required: ['kind', 'apiVersion'], properties: { kind: { type: 'string' } } },
            choice: { oneOf: [{ minimum: 1 }] },
          },
        },
      },
      'x-kubernetes-group-version-kind': [{ group: 'tools.example.com', kind: 'Gizmo' }],
      'x-kubernetes-selectable-fields': [{ fieldPath: 'spec.color' }],
    });
    expect(schemas).toHaveProperty(['com.example.tools.v1.GizmoList', 'properties', 'items']);
  });

  test('a Swagger schema omits keywords that kubectl misreads', () => {
    const { definitions } = openApiV2Document(source);
    const { properties } = definitions['com.example.tools.v1.Gizmo'] as {
      properties: { spec: { required: string[]; properties: object } };
    };
    expect(properties.spec.required).toEqual(['color']);
    expect(properties.spec.properties).toEqual({
      choice: { type: 'integer' },
      color: { type: 'string' },
      free: { 'x-kubernetes-preserve-unknown-fields': true },
      inner: expect.objectContaining({ 'x-kubernetes-embedded-resource': true }),
      maybe: {},
      size: { 'x-kubernetes-int-or-string': true },
    });
  });

  test('a Swagger schema with unknown members allowed lists no properties', () => {
    const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const { definitions } = openApiV2Document({ ...source, customs: [{ ...gizmo, schema }] });
    expect(definitions['com.example.tools.v1.Gizmo']).not.toHaveProperty('properties');
  });

  test('a group version without resources has no document', () => {
    expect(openApiV3Document('apis/nowhere/v1', source)).toBeUndefined();
  });
});
