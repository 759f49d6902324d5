import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import type { ManagerOptions } from './manager-options.ts';
import { createManager, type Manager } from '../index.ts';

const { ConfigMap, Lease, Namespace, Pod, Secret, Service } = builtin;
const reconcile = async (): Promise<void> => {};

function unconnected(options: ManagerOptions = {}): Manager {
  return createManager({ cluster: { server: 'http://127.0.0.1:1' }, stopSignals: [], ...options });
}

/** The sources of a manager, as `PLURAL NAMESPACE`. */
function sourcesOf(manager: Manager): string[] {
  return manager.declaredAccess().sources.map(({ resource: { plural }, namespace = '*' }) => {
    return `${plural} ${namespace}`;
  });
}

describe('the declared access of a manager', () => {
  test('has every source of its controllers once, before the start', async () => {
    await using manager = unconnected();
    manager.addController({
      name: 'one',
      for: ConfigMap,
      owns: [Pod],
      watches: [{ resource: Secret, namespace: 'ops', map: () => [] }],
      reads: [Service],
      reconcile,
    });
    manager.addController({ name: 'two', for: Pod, reconcile });
    expect(sourcesOf(manager)).toEqual(['configmaps *', 'pods *', 'secrets ops', 'services *']);
    expect(manager.declaredAccess().fixedNames).toEqual([]);
  });

  test('has one source for each namespace of a set, and for watches that were added later', async () => {
    await using manager = unconnected({ namespaces: ['a', 'b'] });
    const controller = manager.addController({
      name: 'one',
      for: ConfigMap,
      reads: [Namespace],
      reconcile,
    });
    expect(sourcesOf(manager)).toEqual(['configmaps a', 'configmaps b', 'namespaces *']);
    const watch = controller.watch({ resource: Secret, namespace: 'a', map: () => [] });
    expect(sourcesOf(manager)).toContain('secrets a');
    await watch.remove();
    await manager.setNamespaces(['c']);
    expect(sourcesOf(manager)).toEqual(['configmaps c', 'namespaces *']);
  });

  test('has no source of a further cluster', async () => {
    await using manager = unconnected();
    manager.addCluster('other', { server: 'http://127.0.0.1:1' });
    manager.addController({
      name: 'one',
      for: ConfigMap,
      watches: [{ resource: Secret, cluster: 'other', map: () => [] }],
      reconcile,
    });
    expect(sourcesOf(manager)).toEqual(['configmaps *']);
  });

  test('has the name of the Lease with leader election', async () => {
    await using manager = unconnected({ leaderElection: { lease: 'robot', namespace: 'ops' } });
    expect(manager.declaredAccess()).toEqual({
      sources: [],
      fixedNames: [{ resource: Lease, names: ['robot'] }],
    });
  });
});
