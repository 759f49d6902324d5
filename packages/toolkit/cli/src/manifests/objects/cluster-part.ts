import { builtin, type ApiResource } from '@keelson/apimachinery';
import type { ClusterRole, PolicyRule } from '@keelson/envtest';
import type { Definition } from '../operator/operator-sources.ts';

const builtinResources: readonly ApiResource[] = Object.values(builtin);

/**
 * The part of a ClusterRole that a binding in a namespace does not grant: its rules for URLs, and for the cluster-scoped resources
 * of Kubernetes and of the project. Any other resource counts as namespaced.
 */
export function clusterPart<R extends ClusterRole>(
  role: R & { readonly metadata: { readonly name: string } },
  definitions: readonly Definition[],
): R {
  const rules = (role.rules ?? []).flatMap((rule) => clusterRule(rule, definitions) ?? []);
  return { ...role, metadata: { ...role.metadata, name: `${role.metadata.name}-cluster` }, rules };
}

function clusterRule(rule: PolicyRule, definitions: readonly Definition[]): PolicyRule | undefined {
  if (rule.nonResourceURLs !== undefined) return rule;
  const { apiGroups = [], resources = [] } = rule;
  const found = resources.filter((resource) =>
    apiGroups.some((group) => isClusterScoped(group, resource, definitions)),
  );
  return found.length === 0 ? undefined : { ...rule, resources: found };
}

/** True for a cluster-scoped resource of Kubernetes or of the project, and for its subresources. */
export function isClusterScoped(
  group: string,
  resource: string,
  definitions: readonly Definition[],
): boolean {
  const [plural = ''] = resource.split('/');
  const own = definitions.find(({ kind }) => kind.group === group && kind.plural === plural);
  if (own !== undefined) return own.kind.scope === 'Cluster';
  if (reviews.has(`${plural}.${group}`)) return true;
  const known = builtinResources.find((one) => one.group === group && one.plural === plural);
  return known?.namespaced === false;
}

/** Kinds without stored objects, of which the tokens of Kubernetes have none. */
const reviews: ReadonlySet<string> = new Set([
  'tokenreviews.authentication.k8s.io',
  'subjectaccessreviews.authorization.k8s.io',
  'selfsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectrulesreviews.authorization.k8s.io',
]);
