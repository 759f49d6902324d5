import type { AccessAttributes, PathAttributes, ResourceAttributes } from '../auth/authorizer.ts';
import type { User } from '../auth/user.ts';

/** The users that a rule of a flow schema names. */
interface FlowSubject {
  readonly kind: string;
  readonly user?: { readonly name: string };
  readonly group?: { readonly name: string };
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
}

interface ResourceFlowRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly clusterScope?: boolean;
  readonly namespaces?: readonly string[];
}

interface PathFlowRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

interface FlowRule {
  readonly subjects: readonly FlowSubject[];
  readonly resourceRules?: readonly ResourceFlowRule[];
  readonly nonResourceRules?: readonly PathFlowRule[];
}

/** The members of a FlowSchema that decide which requests it holds. */
export interface FlowSchema {
  readonly spec: {
    readonly priorityLevelConfiguration: { readonly name: string };
    readonly matchingPrecedence?: number;
    readonly rules?: readonly FlowRule[];
  };
}

/** True if a rule of the schema holds for the request. Source: `pkg/util/flowcontrol/rule.go` of apiserver. */
export function matchesFlow(
  { spec: { rules = [] } }: FlowSchema,
  request: AccessAttributes,
): boolean {
  return rules.some(
    ({ subjects, resourceRules = [], nonResourceRules = [] }) =>
      subjects.some((subject) => isOf(subject, request.user)) &&
      (request.kind === 'resource'
        ? resourceRules.some((rule) => holdsResource(rule, request))
        : nonResourceRules.some((rule) => holdsPath(rule, request))),
  );
}

function isOf({ user, group, serviceAccount }: FlowSubject, { name, groups }: User): boolean {
  if (user !== undefined) return user.name === '*' || user.name === name;
  if (group !== undefined) return group.name === '*' || groups.includes(group.name);
  if (serviceAccount === undefined) return false;
  const prefix = `system:serviceaccount:${serviceAccount.namespace}:`;
  if (serviceAccount.name === '*') return name.startsWith(prefix);
  return name === prefix + serviceAccount.name;
}

function holdsResource(rule: ResourceFlowRule, request: ResourceAttributes): boolean {
  const { verb, group, resource, subresource, namespace } = request;
  const whole = subresource === '' ? resource : `${resource}/${subresource}`;
  return (
    names(rule.verbs, verb) &&
    names(rule.apiGroups, group) &&
    names(rule.resources, whole) &&
    (namespace === '' ? rule.clusterScope === true : names(rule.namespaces, namespace))
  );
}

function holdsPath(
  { verbs, nonResourceURLs }: PathFlowRule,
  { verb, path }: PathAttributes,
): boolean {
  return (
    names(verbs, verb) &&
    nonResourceURLs.some((url) =>
      url.endsWith('*') ? path.startsWith(url.slice(0, -1)) : path === url,
    )
  );
}

function names(list: readonly string[] = [], wanted: string): boolean {
  return list.includes('*') || list.includes(wanted);
}
