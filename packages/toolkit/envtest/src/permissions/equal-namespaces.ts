import type { DeclaredSource } from './observed-rules.ts';
import type { Permission } from './permission.ts';

/**
 * Copies the permissions of one namespace to the others of its set: an operator with a set of namespaces does the same in each, and
 * a test mostly has its objects in one. The set of a resource is that of its declared sources; a resource without a source, such as
 * one that the operator only creates, has the set of the sources if all have the same one. Leases and the operator's own
 * namespaces have no set.
 */
export function equalInNamespaces(
  permissions: readonly Permission[],
  sources: readonly DeclaredSource[],
  ownNamespaces: readonly string[] = [],
): readonly Permission[] {
  const sets = setsOf(sources);
  const distinct = new Map([...sets.values()].map((set) => [[...set].toSorted().join(), set]));
  const common = distinct.size === 1 ? [...distinct.values()][0] : undefined;
  return permissions.flatMap((permission) => {
    const { group, resource, namespace } = permission;
    const [plural = ''] = resource.split('/');
    const isOwn = namespace === '' || ownNamespaces.includes(namespace) || isLease(permission);
    const set = isOwn ? undefined : (sets.get(idOf(group, plural)) ?? common);
    if (set?.has(namespace) !== true) return [permission];
    return [...set].map((each) => ({ ...permission, namespace: each }));
  });
}

/** The namespaces of each resource that sources watch in several ones. */
function setsOf(sources: readonly DeclaredSource[]): ReadonlyMap<string, ReadonlySet<string>> {
  const sets = new Map<string, Set<string>>();
  for (const { resource, namespace } of sources) {
    if (!namespace) continue;
    const id = idOf(resource.group, resource.plural);
    const set = sets.get(id) ?? new Set();
    sets.set(id, set.add(namespace));
  }
  return new Map([...sets].filter(([, set]) => set.size > 1));
}

function idOf(group: string, plural: string): string {
  return `${plural}.${group}`;
}

function isLease({ group, resource }: Permission): boolean {
  return group === 'coordination.k8s.io' && resource === 'leases';
}
