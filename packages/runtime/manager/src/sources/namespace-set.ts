import {
  invalidOption,
  isDnsLabel,
  type ApiResource,
  type ClusterScopedObject,
  type Hint,
  type KubernetesObject,
} from '@keelson/apimachinery';

/** The namespaces that a source watches, sorted and without repeats. */
export type NamespaceSet = readonly string[];

/** The type of the option `namespaces` for a kind: cluster-scoped kinds have none. */
export type NamespacesOf<T extends KubernetesObject> = [T] extends [ClusterScopedObject]
  ? Hint<'namespaces: the kind is cluster-scoped'>
  : readonly string[];

/** Returns a set of namespaces in normal form. Throws `INVALID_OPTION` for an empty or invalid one. */
export function namespaceSet(given: unknown, where: string): NamespaceSet {
  if (!Array.isArray(given)) throw invalidOption(where, 'must be a list of namespaces');
  if (given.length === 0) {
    const cure =
      'remove the watch or stop the controller, or leave the option out for all namespaces';
    throw invalidOption(where, 'must name a namespace', { cure });
  }
  for (const [at, namespace] of given.entries()) {
    if (typeof namespace === 'string' && isDnsLabel(namespace)) continue;
    const cure = namespace === '' ? { cure: 'leave the option out for all namespaces' } : {};
    throw invalidOption(`${where}[${at}]`, 'must be a DNS-1123 label', {
      value: namespace,
      ...cure,
    });
  }
  return Object.freeze([...new Set(given as string[])].toSorted());
}

/** Returns checked options with a set of their own: later changes of the given list have no effect. */
export function withNamespaceSet<O extends { readonly namespaces?: unknown }>(options: O): O {
  const { namespaces } = options;
  if (namespaces === undefined) return options;
  return { ...options, namespaces: namespaceSet(namespaces, 'namespaces') };
}

/** Throws `INVALID_OPTION` for the namespaces of a source that are invalid or that it cannot have. */
export function checkSourceNamespaces(
  source: {
    readonly resource: ApiResource;
    readonly namespace?: string;
    readonly namespaces?: unknown;
  },
  where: string,
): void {
  if (source.namespaces === undefined) return;
  if (!source.resource.namespaced) throw invalidOption(where, 'the resource is cluster-scoped');
  if (source.namespace !== undefined) {
    throw invalidOption(where, 'has no meaning together with `namespace`');
  }
  namespaceSet(source.namespaces, where);
}
