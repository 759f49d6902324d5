import { describe, expect, test } from '@jest/globals';
import { type BuiltinResource, builtinResources, kubernetesVersion } from './builtin-resources.ts';
import { newestVersion } from '../releases/kubernetes-version.ts';

describe('builtinResources', () => {
  test('equals the discovery of the pinned version', () => {
    expect(kubernetesVersion(newestVersion)).toBe('v1.36.3');
    expect(find('apps', 'deployments')).toEqual({
      group: 'apps',
      version: 'v1',
      kind: 'Deployment',
      plural: 'deployments',
      singular: 'deployment',
      namespaced: true,
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      shortNames: ['deploy'],
      categories: ['all'],
      subresources: [
        {
          name: 'scale',
          group: 'autoscaling',
          version: 'v1',
          kind: 'Scale',
          verbs: ['get', 'patch', 'update'],
        },
        {
          name: 'status',
          group: 'apps',
          version: 'v1',
          kind: 'Deployment',
          verbs: ['get', 'patch', 'update'],
        },
      ],
    });
  });

  test('names the subresources of pods with the kinds of their bodies', () => {
    expect(find('', 'pods')?.subresources.map(({ name, kind }) => `${name}:${kind}`)).toContain(
      'eviction:Eviction',
    );
  });

  test('has stable versions only, with the preferred one of a group first', () => {
    expect(
      builtinResources(newestVersion).filter(({ version }) => !/^v\d+$/.test(version)),
    ).toEqual([]);
    expect(
      builtinResources(newestVersion)
        .filter(({ group }) => group === 'autoscaling')
        .map(({ version }) => version),
    ).toEqual(['v2', 'v1']);
  });

  test.each([
    '',
    'apps',
    'batch',
    'networking.k8s.io',
    'policy',
    'rbac.authorization.k8s.io',
    'storage.k8s.io',
    'autoscaling',
    'coordination.k8s.io',
    'events.k8s.io',
    'apiextensions.k8s.io',
    'admissionregistration.k8s.io',
    'discovery.k8s.io',
    'authentication.k8s.io',
    'authorization.k8s.io',
  ])('has the group %j', (group) => {
    expect(builtinResources(newestVersion).some((resource) => resource.group === group)).toBe(true);
  });
});

function find(group: string, plural: string): BuiltinResource | undefined {
  return builtinResources(newestVersion).find(
    (resource) => resource.group === group && resource.plural === plural,
  );
}
