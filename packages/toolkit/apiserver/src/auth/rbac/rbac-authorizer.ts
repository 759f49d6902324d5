import type {
  AccessAttributes,
  Authorizer,
  PathAttributes,
  ResourceAttributes,
} from '../authorizer.ts';
import { mastersGroup, type User } from '../user.ts';

/** One rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** A user, group or service account of a binding. */
export interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** The members of a RoleBinding or ClusterRoleBinding that authorization reads. */
export interface RoleBinding {
  readonly metadata: { readonly name?: string; readonly namespace?: string };
  readonly roleRef: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly Subject[];
}

/**
 * The stored roles and bindings. The authorizer reads them for every decision, so changes take effect immediately.
 */
export interface RbacSource {
  clusterRoleRules(name: string): readonly PolicyRule[] | undefined;
  roleRules(namespace: string, name: string): readonly PolicyRule[] | undefined;
  clusterRoleBindings(): Iterable<RoleBinding>;
  roleBindings(namespace: string): Iterable<RoleBinding>;
}

/** A rule that applies to a user, with its binding. */
export interface GrantedRule {
  readonly rule: PolicyRule;
  readonly because: string;
}

/** Authorizes by roles and bindings, like the RBAC mode of kube-apiserver. Allows everything to `system:masters`. */
export function rbacAuthorizer(source: RbacSource): Authorizer {
  return {
    authorize: (attributes) => {
      if (attributes.user.groups.includes(mastersGroup)) return { allowed: true, reason: '' };
      const namespace = attributes.kind === 'resource' ? attributes.namespace : '';
      for (const { rule, because } of grantedRules(source, attributes.user, namespace)) {
        if (ruleAllows(rule, attributes)) return { allowed: true, reason: `RBAC: ${because}` };
      }
      const missing = missingRoles(source, attributes.user, namespace);
      return { allowed: false, reason: missing === '' ? '' : `RBAC: ${missing}` };
    },
  };
}

/** The rules that apply to a user in a namespace; for `""` only the cluster-wide rules. */
export function* grantedRules(
  source: RbacSource,
  user: User,
  namespace: string,
): Generator<GrantedRule> {
  yield* rulesOf(source, user, source.clusterRoleBindings(), 'ClusterRoleBinding');
  if (namespace === '') return;
  yield* rulesOf(source, user, source.roleBindings(namespace), 'RoleBinding');
}

/** The missing roles that bindings of a user refer to, as a hint in a rejection. */
export function missingRoles(source: RbacSource, user: User, namespace: string): string {
  const bindings = [
    ...source.clusterRoleBindings(),
    ...(namespace === '' ? [] : source.roleBindings(namespace)),
  ];
  const missing = bindings
    .filter(({ metadata, subjects = [] }) =>
      subjects.some((subject) => includesUser(subject, user, metadata.namespace ?? '')),
    )
    .filter(({ metadata, roleRef }) => {
      return rulesBehind(source, roleRef, metadata.namespace ?? '') === undefined;
    })
    .map(({ roleRef: { kind, name } }) => {
      return `${kind.toLowerCase()}.rbac.authorization.k8s.io ${JSON.stringify(name)} not found`;
    });
  const distinct = [...new Set(missing)];
  return distinct.length > 1 ? `[${distinct.join(', ')}]` : distinct.join('');
}

function* rulesOf(
  source: RbacSource,
  user: User,
  bindings: Iterable<RoleBinding>,
  kind: string,
): Generator<GrantedRule> {
  for (const binding of bindings) {
    const { name = '', namespace = '' } = binding.metadata;
    const subject = binding.subjects?.find((candidate) => includesUser(candidate, user, namespace));
    if (subject === undefined) continue;
    const { roleRef } = binding;
    const title = namespace === '' ? name : `${name}/${namespace}`;
    const because = `allowed by ${kind} "${title}" of ${roleRef.kind} "${roleRef.name}" to ${subject.kind} "${subjectTitle(subject)}"`;
    for (const rule of rulesBehind(source, roleRef, namespace) ?? []) yield { rule, because };
  }
}

function rulesBehind(
  source: RbacSource,
  roleRef: RoleBinding['roleRef'],
  namespace: string,
): readonly PolicyRule[] | undefined {
  return roleRef.kind === 'ClusterRole'
    ? source.clusterRoleRules(roleRef.name)
    : source.roleRules(namespace, roleRef.name);
}

function includesUser(subject: Subject, user: User, bindingNamespace: string): boolean {
  switch (subject.kind) {
    case 'User':
      return subject.name === user.name;
    case 'Group':
      return user.groups.includes(subject.name);
    case 'ServiceAccount': {
      const namespace = subject.namespace ?? bindingNamespace;
      return namespace !== '' && user.name === `system:serviceaccount:${namespace}:${subject.name}`;
    }
    default:
      return false;
  }
}

function subjectTitle(subject: Subject): string {
  return subject.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace}` : subject.name;
}

function ruleAllows(rule: PolicyRule, attributes: AccessAttributes): boolean {
  if (!contains(rule.verbs, attributes.verb)) return false;
  return attributes.kind === 'path'
    ? allowsPath(rule, attributes)
    : allowsResource(rule, attributes);
}

function allowsResource(rule: PolicyRule, wanted: ResourceAttributes): boolean {
  const names = rule.resourceNames ?? [];
  return (
    contains(rule.apiGroups, wanted.group) &&
    namesResource(rule.resources ?? [], wanted) &&
    (names.length === 0 || names.includes(wanted.name))
  );
}

function namesResource(resources: readonly string[], wanted: ResourceAttributes): boolean {
  const combined =
    wanted.subresource === '' ? wanted.resource : `${wanted.resource}/${wanted.subresource}`;
  return resources.some(
    (resource) =>
      resource === '*' ||
      resource === combined ||
      (wanted.subresource !== '' && resource === `*/${wanted.subresource}`),
  );
}

function allowsPath(rule: PolicyRule, wanted: PathAttributes): boolean {
  return (rule.nonResourceURLs ?? []).some(
    (url) =>
      url === '*' ||
      url === wanted.path ||
      (url.endsWith('*') && wanted.path.startsWith(url.slice(0, -1))),
  );
}

function contains(list: readonly string[] | undefined, wanted: string): boolean {
  return list !== undefined && (list.includes('*') || list.includes(wanted));
}
