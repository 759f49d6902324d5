import type { ServedResource } from '../../resources/served-resource.ts';
import type { AdmissionAttributes } from './admission-attributes.ts';
import type { MatchedResource } from './versioned-attributes.ts';

/** `RuleWithOperations` of a webhook, or `NamedRuleWithOperations` of a policy, with its defaults. */
export interface ResourceRule {
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly operations?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
  /** Only in policies; empty for all names. */
  readonly resourceNames?: readonly string[];
}

export type MatchPolicy = 'Exact' | 'Equivalent';

/**
 * Returns the resource by which the rules match a request; with `Equivalent` it may be the resource in another version.
 * Source: `predicates/rules` and `generic/webhook.go` of kube-apiserver's admission.
 */
export function matchedResource(
  attributes: AdmissionAttributes,
  {
    rules,
    matchPolicy,
  }: { readonly rules: readonly ResourceRule[]; readonly matchPolicy: MatchPolicy },
  equivalentsOf: (resource: ServedResource, subresource: string) => readonly ServedResource[],
): MatchedResource | undefined {
  const { resource, kind, subresource } = attributes;
  if (rules.some((rule) => matches(rule, attributes, resource))) return { resource, kind };
  if (matchPolicy === 'Exact') return undefined;
  const equivalents = equivalentsOf(resource, subresource);
  for (const rule of rules) {
    const found = equivalents.find((each) => matches(rule, attributes, each));
    if (found !== undefined) return { resource: found, kind: kindFor(found, attributes) };
  }
  return undefined;
}

function kindFor(
  resource: ServedResource,
  { subresource }: AdmissionAttributes,
): MatchedResource['kind'] {
  return (subresource === '' ? undefined : resource.subresource(subresource)) ?? resource.facts;
}

function matches(
  rule: ResourceRule,
  attributes: AdmissionAttributes,
  resource: ServedResource,
): boolean {
  const { group, version, plural } = resource.facts;
  const { operation, subresource, name } = attributes;
  return (
    isInScope(rule.scope ?? '*', attributes) &&
    isListed(rule.operations, operation) &&
    isListed(rule.apiGroups, group) &&
    isListed(rule.apiVersions, version) &&
    (rule.resources ?? []).some((each) => namesResource(each, plural, subresource)) &&
    isNamed(rule.resourceNames ?? [], name)
  );
}

function isListed(items: readonly string[] = [], value: string): boolean {
  return items.includes('*') || items.includes(value);
}

/** A namespace is cluster-scoped, although a request for it has its name as the namespace. */
function isInScope(scope: string, { resource, namespace }: AdmissionAttributes): boolean {
  if (scope === '*') return true;
  const isCluster = namespace === '' || resource.id === 'v1/namespaces';
  return scope === 'Cluster' ? isCluster : scope === 'Namespaced' && !isCluster;
}

function namesResource(written: string, plural: string, subresource: string): boolean {
  const slash = written.indexOf('/');
  const [resource, sub] =
    slash < 0 ? [written, ''] : [written.slice(0, slash), written.slice(slash + 1)];
  return (resource === '*' || resource === plural) && (sub === '*' || sub === subresource);
}

function isNamed(names: readonly string[], name: string): boolean {
  return names.length === 0 || names.includes(name);
}
