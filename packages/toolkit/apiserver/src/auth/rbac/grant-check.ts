import { jsonEquals } from '@keelson/structural-schema';
import type { ServedResource } from '../../resources/served-resource.ts';
import { badRequest, failure, forbidden, notFound } from '../../status-errors/status-errors.ts';
import type { ApiObject } from '../../storage/api-object.ts';
import type { Authorizer, ResourceAttributes } from '../authorizer.ts';
import type { AccessRecord } from '../observed/access-record.ts';
import {
  grantedRules,
  missingRoles,
  type PolicyRule,
  type RbacSource,
  type RoleBinding,
} from './rbac-authorizer.ts';
import { accessesOfRules, printedRules, quotedList, uncovered } from './rule-cover.ts';
import { mastersGroup } from '../user.ts';

/** A write of a role or a binding. */
export interface Grant {
  readonly resource: ServedResource;
  readonly object: ApiObject;
  /** The object before an update; undefined on create. */
  readonly before: ApiObject | undefined;
  readonly requester: ResourceAttributes;
}

/** The members of a role or a binding that grant permissions. */
type GrantingObject = ApiObject & {
  rules?: readonly PolicyRule[] | null;
  roleRef?: Partial<RoleReference>;
};

interface GrantCheckParts {
  readonly authorizer: Authorizer;
  readonly source: RbacSource;
  readonly accesses: AccessRecord;
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
  readonly #accesses: AccessRecord;

  constructor({ authorizer, source, accesses }: GrantCheckParts) {
    this.#authorizer = authorizer;
    this.#source = source;
    this.#accesses = accesses;
  }

  /** Throws 403 if the requester would grant permissions that it does not hold. */
  check(grant: Grant): void {
    const { resource, requester } = grant;
    if (resource.facts.group !== rbacGroup || requester.subresource !== '') return;
    this.#record(grant);
    if (requester.user.groups.includes(mastersGroup)) return;
    if (resource.facts.plural.endsWith('bindings')) this.#checkBinding(grant);
    else this.#checkRole(grant);
  }

  /** A writer with `escalate` or `bind` uses that verb; another one needs what it grants. */
  #record({ resource, object, before, requester }: Grant): void {
    if (isCollectorsUpdate(object, before)) return;
    const verb = resource.facts.plural.endsWith('bindings') ? 'bind' : 'escalate';
    const { rules, roleRef } = object as GrantingObject;
    const target =
      verb === 'bind'
        ? { resource: roleResources.get(roleRef?.kind ?? '') ?? '', name: roleRef?.name ?? '' }
        : { name: object.metadata.name ?? '' };
    const special = { ...requester, verb, group: rbacGroup, ...target };
    const isMaster = requester.user.groups.includes(mastersGroup);
    if (!isMaster && this.#may(special)) {
      this.#accesses.add(special, 'grant');
      return;
    }
    const granted = verb === 'bind' ? this.#rulesBehind(requester.namespace, roleRef) : rules;
    for (const access of accessesOfRules(granted ?? [], requester)) {
      this.#accesses.add(access, 'grant');
    }
  }

  #rulesBehind(
    namespace: string,
    { kind, name = '' }: Partial<RoleReference> = {},
  ): readonly PolicyRule[] | undefined {
    if (kind === 'Role') return this.#source.roleRules(namespace, name);
    return kind === 'ClusterRole' ? this.#source.clusterRoleRules(name) : undefined;
  }

  #checkRole(grant: Grant): void {
    const { object, before, requester } = grant;
    if (this.#may({ ...requester, subresource: '', verb: 'escalate' })) return;
    if (isCollectorsUpdate(object, before)) return;
    const { rules } = object as GrantingObject;
    this.#confirm(grant, rules ?? []);
    if (!isAggregated(object) && !isAggregated(before)) return;
    if (this.#missing(requester, everything).length === 0) return;
    const why = 'must have cluster-admin privileges to use the aggregationRule';
    throw forbidden(grant.resource.subject(object.metadata.name ?? ''), why);
  }

  #checkBinding(grant: Grant): void {
    const { object, before, requester } = grant;
    if (isCollectorsUpdate(object, before)) return;
    const { roleRef } = object as GrantingObject;
    const { apiGroup = '', kind = '', name = '' } = roleRef ?? {};
    const reference = { apiGroup, kind, name };
    if (this.#mayBind(requester, reference)) return;
    this.#confirm(grant, this.#rulesOf(grant, reference));
  }

  #mayBind(requester: ResourceAttributes, { apiGroup, kind, name }: RoleReference): boolean {
    const resource = roleResources.get(kind);
    if (apiGroup !== rbacGroup || resource === undefined) return false;
    const wanted = { ...requester, verb: 'bind', group: apiGroup, subresource: '', resource, name };
    return this.#may(wanted);
  }

  #rulesOf({ resource, requester }: Grant, { kind, name }: RoleReference): readonly PolicyRule[] {
    if (!roleResources.has(kind)) {
      throw failure(500, '', `unsupported role reference kind: ${JSON.stringify(kind)}`);
    }
    const { namespace } = requester;
    if (kind === 'Role' && namespace === '') throw badRequest('Namespace parameter required.');
    const rules = this.#rulesBehind(namespace, { kind, name });
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

const roleResources: ReadonlyMap<string, string> = new Map([
  ['ClusterRole', 'clusterroles'],
  ['Role', 'roles'],
]);

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
