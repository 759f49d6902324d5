import type { KubernetesObject } from '@keelson/apimachinery';
import { readDocuments } from '../files/read-documents.ts';
import { EnvtestError } from '../errors.ts';
import { wrongMemberOf } from './check-rule.ts';
import type { CheckedInRole } from './role-part.ts';
import type { ClusterRole, ObservedRules, Role } from './observed-rules.ts';

/** A path of a YAML or JSON file, a folder of such files, or a Role or ClusterRole. */
export type RolesSource = KubernetesObject | string;

/** The namespace of a Role without one, as with `kubectl apply`. */
const DEFAULT_NAMESPACE = 'default';

/**
 * Returns the Roles and ClusterRoles of objects, and of YAML files and folders. Ignores documents of other kinds. A Role
 * without namespace gets `namespace`, by default `default`. Throws `ROLES_NOT_FOUND` if
 * none of them is there, and `ROLE_INVALID` for one whose rules the API server would refuse.
 *
 * @example
 * ```ts
 * import { bindRoles, createTestEnvironment, readRoles } from '@keelson/envtest';
 *
 * await using environment = await createTestEnvironment();
 * const roles = await readRoles('config/rbac');
 * const account = { namespace: 'default', name: 'operator' };
 * console.log(bindRoles(roles, account), environment.admin.cluster.server);
 * ```
 */
export async function readRoles(
  sources: RolesSource | readonly RolesSource[],
  namespace: string = DEFAULT_NAMESPACE,
): Promise<ObservedRules> {
  const list = [sources].flat() as readonly RolesSource[];
  const documents = (await Promise.all(list.map(documentsOf))).flat();
  const objects = documents.flatMap(itemsOf).filter(isOfRbac);
  const clusterRoles = objects.filter(({ kind }) => kind === 'ClusterRole') as ClusterRole[];
  for (const { kind, metadata, rules } of objects as readonly CheckedInRole[]) {
    if (kind === 'ClusterRole' || kind === 'Role') checkRules(`${kind} ${metadata?.name}`, rules);
  }
  const namespaced = objects.filter(({ kind }) => kind === 'Role') as Role[];
  const roles = namespaced.map((role) => ({ ...role, metadata: { namespace, ...role.metadata } }));
  if (clusterRoles.length > 0 || roles.length > 0) return { clusterRoles, roles };
  throw new EnvtestError('ROLES_NOT_FOUND', { paths: pathsOf(list) });
}

async function documentsOf(source: RolesSource): Promise<unknown[]> {
  if (typeof source !== 'string') return [source];
  try {
    return await readDocuments(source);
  } catch (cause) {
    const [reason] = (cause instanceof Error ? cause.message : String(cause)).split('\n', 1);
    throw new EnvtestError('ROLES_NOT_FOUND', { paths: source, reason }, { cause });
  }
}

/** The objects of a `List`, as `kubectl get -o yaml` writes it, else the document. */
function itemsOf(document: unknown): readonly unknown[] {
  const { kind, items } = (document ?? {}) as { kind?: unknown; items?: unknown };
  const isList = typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items);
  return isList ? items : [document];
}

function checkRules(role: string, rules: unknown): void {
  if (rules === undefined || rules === null) return;
  if (!Array.isArray(rules)) throw new EnvtestError('ROLE_INVALID', { role, path: 'rules' });
  for (const [index, rule] of (rules as readonly unknown[]).entries()) {
    const wrong = wrongMemberOf(rule);
    if (wrong === undefined) continue;
    throw new EnvtestError('ROLE_INVALID', { role, path: `rules[${index}]${wrong}` });
  }
}

function pathsOf(sources: readonly RolesSource[]): string {
  return sources.filter((source) => typeof source === 'string').join(' ');
}

function isOfRbac(document: unknown): document is KubernetesObject {
  const { apiVersion } = (document ?? {}) as KubernetesObject;
  return apiVersion?.startsWith('rbac.authorization.k8s.io/') === true;
}
