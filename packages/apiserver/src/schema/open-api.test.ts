import { describe, expect, test } from '@jest/globals';
import { builtinResources } from './builtin-resources.ts';
import { loadOpenApiV2, loadOpenApiV3, openApiGroupVersions } from './open-api.ts';

describe('loadOpenApiV3', () => {
  test('has a document for every group version that discovery has', () => {
    const served = new Set(
      builtinResources().map(({ group, version }) =>
        group === '' ? version : `${group}/${version}`,
      ),
    );
    expect(openApiGroupVersions()).toEqual(expect.arrayContaining([...served]));
  });

  test.each(openApiGroupVersions())(
    'the document of %s refers to nothing that it lacks',
    (name) => {
      const document = loadOpenApiV3(name);
      const schemas = new Set(Object.keys(document?.components.schemas ?? {}));
      const wanted = referencesIn(document).map((reference) => reference.split('/').at(-1) ?? '');
      expect(wanted.filter((reference) => !schemas.has(reference))).toEqual([]);
    },
  );

  test('describes fields for kubectl explain', () => {
    expect(
      loadOpenApiV3('apps/v1')?.components.schemas['io.k8s.api.apps.v1.DeploymentSpec'],
    ).toMatchObject({
      required: ['selector', 'template'],
      properties: {
        replicas: {
          type: 'integer',
          description: expect.stringContaining('Number of desired pods'),
        },
      },
    });
  });

  test('tells kubectl that the server validates fields', () => {
    const path = '/apis/apps/v1/namespaces/{namespace}/deployments/{name}';
    expect(loadOpenApiV3('apps/v1')?.paths[path]).toMatchObject({
      patch: {
        parameters: expect.arrayContaining([expect.objectContaining({ name: 'fieldValidation' })]),
        'x-kubernetes-group-version-kind': { group: 'apps', version: 'v1', kind: 'Deployment' },
      },
    });
  });

  test('knows no other group version', () => {
    expect(loadOpenApiV3('example.org/v1')).toBeUndefined();
  });
});

test('loadOpenApiV2 has the definitions in the older form', () => {
  const { definitions } = loadOpenApiV2();
  expect(definitions['io.k8s.api.apps.v1.DeploymentSpec']).toMatchObject({
    properties: {
      template: { $ref: '#/definitions/io.k8s.api.core.v1.PodTemplateSpec' },
    },
  });
  const wanted = referencesIn(definitions).map((reference) => reference.split('/').at(-1) ?? '');
  expect(wanted.filter((reference) => definitions[reference] === undefined)).toEqual([]);
});

function referencesIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]): string[] =>
    key === '$ref' && typeof value === 'string' ? [value] : referencesIn(value),
  );
}
