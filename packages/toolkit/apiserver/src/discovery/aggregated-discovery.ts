import type { ResourceRegistry } from '../resources/resource-registry.ts';
import type { ServedResource, ServedSubresource } from '../resources/served-resource.ts';

export const aggregatedContentType =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** True if an `Accept` header requests aggregated discovery (KEP-3352). */
export function acceptsAggregated(accept: string | undefined): boolean {
  return (accept ?? '').split(',').some((clause) => {
    const [type, ...parameters] = clause.split(';').map((part) => part.trim());
    return (
      type === 'application/json' && wanted.every((parameter) => parameters.includes(parameter))
    );
  });
}

const wanted = ['g=apidiscovery.k8s.io', 'v=v2', 'as=APIGroupDiscoveryList'];

/** The aggregated document for `/api` (`core`) or `/apis`. */
export function aggregatedDiscovery(registry: ResourceRegistry, core: boolean): object {
  const groups = registry.groups().filter(({ group }) => (group === '') === core);
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map(({ group, versions }) => ({
      metadata: group === '' ? {} : { name: group },
      versions: versions.map((version) => ({
        version,
        resources: registry.inVersion(group, version).map(resourceOf),
        freshness: 'Current',
      })),
    })),
  };
}

function resourceOf({ facts }: ServedResource): object {
  const { group, version, kind, plural, singular, namespaced, verbs, shortNames, categories } =
    facts;
  return {
    resource: plural,
    responseKind: { group, version, kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(facts.subresources.length > 0 && { subresources: facts.subresources.map(subresourceOf) }),
  };
}

function subresourceOf({ name, group, version, kind, verbs }: ServedSubresource): object {
  return { subresource: name, responseKind: { group, version, kind }, verbs };
}
