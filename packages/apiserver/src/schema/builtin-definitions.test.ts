import { describe, expect, test } from '@jest/globals';
import { builtinDefinitions } from './builtin-definitions.ts';
import { builtinResources } from './builtin-resources.ts';

interface Definition {
  'x-kubernetes-group-version-kind'?: { group: string; version: string; kind: string }[];
}

describe('builtinDefinitions', () => {
  test('describes the kind of every resource that discovery has', () => {
    const described = new Set(
      Object.values(builtinDefinitions() as Record<string, Definition>)
        .flatMap((definition) => definition['x-kubernetes-group-version-kind'] ?? [])
        .map(({ group, version, kind }) => `${group}/${version}/${kind}`),
    );
    const missing = builtinResources()
      .map(({ group, version, kind }) => `${group}/${version}/${kind}`)
      .filter((kind) => !described.has(kind));
    expect(missing).toEqual([]);
  });

  test('refers to nothing that it lacks', () => {
    const definitions = builtinDefinitions();
    const wanted = referencesIn(definitions).map((reference) => reference.split('/').at(-1) ?? '');
    expect(wanted.length).toBeGreaterThan(500);
    expect(wanted.filter((reference) => definitions[reference] === undefined)).toEqual([]);
  });

  test('has the words of kubectl explain', () => {
    expect(builtinDefinitions()['io.k8s.api.apps.v1.DeploymentSpec']).toMatchObject({
      required: ['selector', 'template'],
      properties: {
        replicas: { description: expect.stringContaining('Number of desired pods') },
      },
    });
  });
});

function referencesIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]): string[] =>
    key === '$ref' && typeof value === 'string' ? [value] : referencesIn(value),
  );
}
