import { jsonEquals } from '../../json/json-value.ts';
import type { ServedResource } from '../../resources/served-resource.ts';
import { badRequest, failure, forbidden, notFound } from '../../status-errors/status-errors.ts';
import type { ApiObject } from '../../storage/api-object.ts';
import type { Authorizer, ResourceAttributes } from '../authorizer.ts';
import {
  grantedRules,
  missingRoles,
  type PolicyRule,
  type RbacSource,
  type RoleBinding,
} from './rbac-authorizer.ts';
import { printedRules, quotedList, uncovered } from './rule-cover.ts';
import { mastersGroup } from '../user.ts';

/** A write of a role or a binding. */
export interface Grant {
  readonly resource: ServedResource;
  readonly object: ApiObject;
  /** The object before an update; undefined on create. */
  readonly before: ApiObject | undefined;
  readonly requester: ResourceAttributes;
}

const rbacGroup = 'rbac.authorization.k8s.io';
const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/**
 * Prevents privilege escalation, as kube-apiserver does. A writer may only put permissions into a role that it holds
 * itself, unless it has the verb `escalate`. A binding may only refer to such a role, unless its writer has the verb
 * `bind`.
 */
export class GrantCheck {
  readonly #authorizer: Authorizer;
  readonly #source: RbacSource;

  constructor(authorizer: Authorizer, source: RbacSource) {
    this.#authorizer = authorizer;
    this.#source = source;
  }

  /** Throws 403 if the requester would grant permissions that it does not hold. */
  check(grant: Grant): void {
    const { resource, requester } = grant;
    if (resource.facts.group !== rbacGroup || requester.subresource !== '') return;
    if (requester.user.groups.includes(mastersGroup)) return;
    if (resource.facts.plural.endsWith('bindings')) this.#checkBinding(grant);
    else this.#checkRole(grant);
  }

  #checkRole(grant: Grant): void {
    const { object, before, requester } = grant;
    if (this.#may({ ...requester, subresource: '', verb: 'escalate' })) return;
    if (isCollectorsUpdate(object, before)) return;
    const { rules } = object as { rules?: readonly PolicyRule[] | null };
    this.#confirm(grant, rules ?? []);
    if (!isAggregated(object) && !isAggregated(before)) return;
    if (this.#missing(requester, everything).length === 0) return;
    const why = 'must have cluster-admin privileges to use the aggregationRule';
    throw forbidden(grant.resource.subject(object.metadata.name ?? ''), why);
  }

  #checkBinding(grant: Grant): void {
    const { object, before, requester } = grant;
    if (isCollectorsUpdate(object, before)) return;
    const { roleRef } = object as ApiObject & { roleRef?: Partial<RoleReference> };
    const { apiGroup = '', kind = '', name = '' } = roleRef ?? {};
    const reference = { apiGroup, kind, name };
    if (this.#mayBind(requester, reference)) return;
    this.#confirm(grant, this.#rulesOf(grant, reference));
  }

  #mayBind(requester: ResourceAttributes, { apiGroup, kind, name }: RoleReference): boolean {
    const resource = roleResources[kind];
    if (apiGroup !== rbacGroup || resource === undefined) return false;
    const wanted = { ...requester, verb: 'bind', group: apiGroup, subresource: '', resource, name };
    return this.#may(wanted);
  }

  #rulesOf({ resource, requester }: Grant, { kind, name }: RoleReference): readonly PolicyRule[] {
    if (roleResources[kind] === undefined) {
      throw failure(500, '', `unsupported role reference kind: ${JSON.stringify(kind)}`);
    }
    const { namespace } = requester;
    if (kind === 'Role' && namespace === '') throw badRequest('Namespace parameter required.');
    const rules =
      kind === 'Role'
        ? this.#source.roleRules(namespace, name)
        : this.#source.clusterRoleRules(name);
    if (rules === undefined) throw notFound(resource.subject(name));
    return rules;
  }

  #confirm({ resource, object, requester }: Grant, rules: readonly PolicyRule[]): void {
    const missing = this.#missing(requester, rules);
    if (missing.length === 0) return;
    const { user, namespace } = requester;
    const unresolved = missingRoles(this.#source, user, namespace);
    const why = [
      `user ${JSON.stringify(user.name)} (groups=${quotedList(user.groups)})`,
      ` is attempting to grant RBAC permissions not currently held:\n${printedRules(missing)}`,
      ...(unresolved === '' ? [] : [`; resolution errors: [${unresolved}]`]),
    ];
    throw forbidden(resource.subject(object.metadata.name ?? ''), why.join(''));
  }

  #missing(
    { user, namespace }: ResourceAttributes,
    wanted: readonly PolicyRule[],
  ): readonly PolicyRule[] {
    const held = [...grantedRules(this.#source, user, namespace)].map(({ rule }) => rule);
    return uncovered(held, wanted);
  }

  #may(attributes: ResourceAttributes): boolean {
    return this.#authorizer.authorize(attributes).allowed;
  }
}

type RoleReference = RoleBinding['roleRef'] & { readonly apiGroup: string };

const roleResources: Readonly<Record<string, string | undefined>> = {
  ClusterRole: 'clusterroles',
  Role: 'roles',
};

function isAggregated(object: ApiObject | undefined): boolean {
  return object?.['aggregationRule'] !== undefined;
}

/** True if an update changes only the members that the garbage collector updates to delete an object. */
function isCollectorsUpdate(object: ApiObject, before: ApiObject | undefined): boolean {
  return before !== undefined && jsonEquals(withoutOwners(object), withoutOwners(before));
}

function withoutOwners(object: ApiObject): ApiObject {
  const { ownerReferences: _owners, finalizers: _finalizers, ...rest } = object.metadata;
  const { selfLink: _selfLink, managedFields: _managedFields, ...metadata } = rest;
  return { ...object, metadata };
}
