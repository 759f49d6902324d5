import { byCodeUnit } from '../../storage/sorted-keys.ts';
import type { AccessAttributes, ResourceAttributes } from '../authorizer.ts';
import type { PolicyRule } from './rbac-authorizer.ts';

/**
 * The parts of `wanted` that `held` does not cover, each with one verb and one resource or URL. Follows
 * `pkg/registry/rbac/validation` of Kubernetes.
 */
export function uncovered(
  held: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
): readonly PolicyRule[] {
  return wanted.flatMap(partsOf).filter((part) => !held.some((rule) => covers(rule, part)));
}

/** The accesses that rules grant to a requester in its namespace. */
export function accessesOfRules(
  rules: readonly PolicyRule[],
  { user, namespace }: Pick<ResourceAttributes, 'user' | 'namespace'>,
): AccessAttributes[] {
  return rules
    .map(completed)
    .flatMap(partsOf)
    .map((part) => {
      const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = part;
      const [verb = ''] = verbs;
      const [path] = nonResourceURLs ?? [];
      if (path !== undefined) return { kind: 'path', user, verb, path };
      const [resource = '', subresource = ''] = (resources?.[0] ?? '').split(/\/(.*)/s);
      const [[group = ''] = [], [name = ''] = []] = [apiGroups, resourceNames];
      return { kind: 'resource', user, verb, group, resource, subresource, namespace, name };
    });
}

/** A rule that is not validated yet may lack members. */
function completed(rule: Partial<PolicyRule>): PolicyRule {
  return {
    verbs: rule.verbs ?? [],
    apiGroups: rule.apiGroups ?? [],
    resources: rule.resources ?? [],
    resourceNames: rule.resourceNames ?? [],
    nonResourceURLs: rule.nonResourceURLs ?? [],
  };
}

function partsOf(rule: PolicyRule): PolicyRule[] {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const names = resourceNames.length === 0 ? [[]] : resourceNames.map((name) => [name]);
  const ofResources = apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) =>
        names.map((each) => ({
          apiGroups: [group],
          resources: [resource],
          resourceNames: each,
          verbs: [verb],
        })),
      ),
    ),
  );
  const ofUrls = nonResourceURLs.flatMap((url) =>
    verbs.map((verb) => ({ nonResourceURLs: [url], verbs: [verb] })),
  );
  return [...ofResources, ...ofUrls];
}

function covers(rule: PolicyRule, part: PolicyRule): boolean {
  const { resourceNames = [] } = rule;
  const { resourceNames: names = [], nonResourceURLs: urls = [] } = part;
  return (
    holdsAll(rule.verbs, part.verbs) &&
    holdsAll(rule.apiGroups, part.apiGroups) &&
    (part.resources ?? []).every((resource) => coversResource(rule.resources ?? [], resource)) &&
    (resourceNames.length === 0 ||
      (names.length > 0 && names.every((name) => resourceNames.includes(name)))) &&
    urls.every((url) => (rule.nonResourceURLs ?? []).some((held) => coversUrl(held, url)))
  );
}

function holdsAll(held: readonly string[] = [], wanted: readonly string[] = []): boolean {
  return held.includes('*') || wanted.every((each) => held.includes(each));
}

function coversResource(held: readonly string[], resource: string): boolean {
  if (held.includes('*') || held.includes(resource)) return true;
  const slash = resource.indexOf('/');
  return slash >= 0 && held.includes(`*${resource.slice(slash)}`);
}

function coversUrl(held: string, url: string): boolean {
  return held === url || (held.endsWith('*') && url.startsWith(held.replace(/\*+$/, '')));
}

/** Formats rules like kube-apiserver, one for each line; rules that differ only in verbs share a line. */
export function printedRules(parts: readonly PolicyRule[]): string {
  const merged = new Map<string, PolicyRule>();
  for (const part of parts) {
    const { verbs, ...rest } = part;
    const key = JSON.stringify(part.nonResourceURLs === undefined ? rest : part);
    const before = merged.get(key)?.verbs ?? [];
    merged.set(key, { ...rest, verbs: [...before, ...verbs] });
  }
  const lines = [...merged.values()].map(printedRule);
  return [...new Set(lines)].toSorted(byCodeUnit).join('\n');
}

function printedRule(rule: PolicyRule): string {
  const members: readonly (readonly [string, readonly string[] | undefined])[] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  const printed = members.flatMap(([name, values = []]) =>
    values.length === 0 ? [] : [`${name}:${quotedList(values)}`],
  );
  return `{${printed.join(', ')}}`;
}

/** Formats a list of strings like Go's `%q`. */
export function quotedList(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;
}
