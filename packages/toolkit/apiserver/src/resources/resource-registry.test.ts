import { describe, expect, test } from '@jest/globals';
import { newestVersion } from '../releases/kubernetes-version.ts';
import { Storage } from '../storage/storage.ts';
import { addBuiltins } from './builtin-served.ts';
import { ResourceRegistry } from './resource-registry.ts';

/** A registry with the built-in resources, and the ids of those that have been created. */
function newRegistry(): { registry: ResourceRegistry; created: string[] } {
  const registry = new ResourceRegistry();
  const created: string[] = [];
  const storage = new Storage({ changes: 10, bytes: 1e6 });
  const addBuiltin: ResourceRegistry['addBuiltin'] = (id, create) => {
    registry.addBuiltin(id, () => {
      created.push(id);
      return create();
    });
  };
  addBuiltins({ addBuiltin }, storage, newestVersion);
  return { registry, created };
}

describe('ResourceRegistry', () => {
  test('creates a built-in resource once, when it is first used', () => {
    const { registry, created } = newRegistry();
    const pods = registry.find({ group: '', version: 'v1', plural: 'pods' });
    expect(registry.anyVersion('', 'pods')).toBe(pods);
    expect(registry.find({ group: '', version: 'v1', plural: 'pods' })).toBe(pods);
    expect(created).toEqual(['v1/pods']);
  });

  test('finds a resource in any version by its whole group', () => {
    const { registry, created } = newRegistry();
    expect(registry.anyVersion('', 'events')?.id).toBe('v1/events');
    expect(registry.anyVersion('events.k8s.io', 'events')?.id).toBe('events.k8s.io/v1/events');
    expect(registry.anyVersion('v1', 'pods')).toBeUndefined();
    expect(registry.anyVersion('k8s.io', 'events')).toBeUndefined();
    expect(created).toEqual(['v1/events', 'events.k8s.io/v1/events']);
  });

  test('lists built-in resources in the order of discovery, whichever was used first', () => {
    const { registry } = newRegistry();
    registry.find({ group: 'storage.k8s.io', version: 'v1', plural: 'storageclasses' });
    const ids = registry.all().map(({ id }) => id);
    expect(ids).toEqual(
      newRegistry()
        .registry.all()
        .map(({ id }) => id),
    );
    expect(ids[0]).toBe('v1/bindings');
    expect(registry.byKind('storage.k8s.io/v1', 'StorageClass')).toBe(
      registry.find({ group: 'storage.k8s.io', version: 'v1', plural: 'storageclasses' }),
    );
  });

  test('versions of a kind share a store in any order of use', () => {
    const { registry } = newRegistry();
    const newer = registry.find({ group: 'events.k8s.io', version: 'v1', plural: 'events' });
    expect(registry.find({ group: '', version: 'v1', plural: 'events' })?.store).toBe(newer?.store);
  });
});
