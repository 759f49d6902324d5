/** A subresource in the discovery of the server, such as `status` or `scale`. */
export interface ServedSubresource {
  readonly name: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** A resource in one version, as the discovery of the server describes it. */
export interface ServedResource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly ServedSubresource[];
}

/**
 * The members of an `apidiscovery.k8s.io/v2 APIGroupDiscoveryList` that the client reads. Go servers may
 * write a list as null.
 */
export interface AggregatedDiscovery {
  readonly items?:
    | readonly {
        readonly metadata?: { readonly name?: string };
        readonly versions?:
          | readonly {
              readonly version: string;
              /** `Stale`: the server of the group did not respond, so the resources are outdated or missing. */
              readonly freshness?: string;
              readonly resources?:
                | readonly {
                    readonly resource: string;
                    readonly responseKind?: { readonly kind?: string };
                    readonly scope?: string;
                    readonly singularResource?: string;
                    readonly verbs?: readonly string[] | null;
                    readonly shortNames?: readonly string[] | null;
                    readonly categories?: readonly string[] | null;
                    readonly subresources?:
                      | readonly {
                          readonly subresource: string;
                          readonly responseKind?: { readonly kind?: string };
                          readonly verbs?: readonly string[] | null;
                        }[]
                      | null;
                  }[]
                | null;
            }[]
          | null;
      }[]
    | null;
}

/** The members of a `v1 APIResourceList` that the client reads. */
export interface ResourceListing {
  readonly groupVersion?: string;
  readonly resources?: readonly {
    readonly name: string;
    readonly kind: string;
    readonly singularName?: string;
    readonly namespaced?: boolean;
    readonly verbs?: readonly string[];
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  }[];
}

/** Returns the resources of an aggregated response, in the order of the server: preferred versions first. */
export function fromAggregated({ items }: AggregatedDiscovery): ServedResource[] {
  return (items ?? []).flatMap(({ metadata, versions }) =>
    (versions ?? []).flatMap(({ version, resources }) =>
      (resources ?? []).map((resource) => ({
        group: metadata?.name ?? '',
        version,
        kind: resource.responseKind?.kind ?? '',
        plural: resource.resource,
        singular: resource.singularResource ?? '',
        namespaced: resource.scope === 'Namespaced',
        verbs: resource.verbs ?? [],
        shortNames: resource.shortNames ?? [],
        categories: resource.categories ?? [],
        subresources: (resource.subresources ?? []).map((each) => ({
          name: each.subresource,
          kind: each.responseKind?.kind ?? '',
          verbs: each.verbs ?? [],
        })),
      })),
    ),
  );
}

/** Returns the group versions that the API server marks as outdated. */
export function staleVersions({
  items,
}: AggregatedDiscovery): { group: string; version: string }[] {
  return (items ?? []).flatMap(({ metadata, versions }) =>
    (versions ?? [])
      .filter(({ freshness }) => freshness === 'Stale')
      .map(({ version }) => ({ group: metadata?.name ?? '', version })),
  );
}

/**
 * Returns the resources of one group version. Its list contains subresources as `deployments/status` beside
 * `deployments`.
 */
export function fromListing(
  group: string,
  version: string,
  { resources }: ResourceListing,
): ServedResource[] {
  const all = resources ?? [];
  return all
    .filter(({ name }) => !name.includes('/'))
    .map((resource) => ({
      group,
      version,
      kind: resource.kind,
      plural: resource.name,
      singular: resource.singularName ?? '',
      namespaced: resource.namespaced ?? false,
      verbs: resource.verbs ?? [],
      shortNames: resource.shortNames ?? [],
      categories: resource.categories ?? [],
      subresources: all
        .filter(({ name }) => name.startsWith(`${resource.name}/`))
        .map(({ name, kind, verbs = [] }) => ({
          name: name.slice(resource.name.length + 1),
          kind,
          verbs,
        })),
    }));
}
