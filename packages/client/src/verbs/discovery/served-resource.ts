/** A subresource that the server serves. */
export interface ServedSubresource {
  readonly name: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** A resource that the server serves, in one version. */
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

/** `apidiscovery.k8s.io/v2 APIGroupDiscoveryList`, as far as it is read. Go servers may write a list as null. */
export interface AggregatedDiscovery {
  readonly items?:
    | readonly {
        readonly metadata?: { readonly name?: string };
        readonly versions?:
          | readonly {
              readonly version: string;
              /** `Stale`: the server of the group did not respond, and the resources are those of before, or none. */
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

/** `v1 APIResourceList`, as far as it is read. */
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

/** The resources of an aggregated response; preferred versions come first, as the server sent them. */
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

/** The group versions of which the server says that its knowledge is out of date. */
export function staleVersions({
  items,
}: AggregatedDiscovery): { group: string; version: string }[] {
  return (items ?? []).flatMap(({ metadata, versions }) =>
    (versions ?? [])
      .filter(({ freshness }) => freshness === 'Stale')
      .map(({ version }) => ({ group: metadata?.name ?? '', version })),
  );
}

/** The resources of one group version's listing, where `deployments/status` stands beside `deployments`. */
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
