import type { KubernetesObject } from '@keelson/apimachinery';
import { readDocuments } from '../files/read-documents.ts';
import { EnvtestError } from '../errors.ts';
import type { ClusterRole, ObservedRules, Role } from './observed-rules.ts';

/** A path of a YAML or JSON file, a folder of such files, or a Role or ClusterRole. */
export type RolesSource = KubernetesObject | string;

/** The namespace of a Role without one, as with `kubectl apply`. */
const DEFAULT_NAMESPACE = 'default';

/**
 * Returns the Roles and ClusterRoles of objects, and of YAML files and folders. Ignores documents of other kinds. A Role
 * without namespace gets `namespace`, by default `default`. Throws `ROLES_NOT_FOUND` if
 * none of them is there.
 */
export async function readRoles(
  sources: RolesSource | readonly RolesSource[],
  namespace: string = DEFAULT_NAMESPACE,
): Promise<ObservedRules> {
  const list = [sources].flat() as readonly RolesSource[];
  const objects = (await Promise.all(list.map(documentsOf))).flat().filter(isOfRbac);
  const clusterRoles = objects.filter(({ kind }) => kind === 'ClusterRole') as ClusterRole[];
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
    throw new EnvtestError('ROLES_NOT_FOUND', { paths: source }, { cause });
  }
}

function pathsOf(sources: readonly RolesSource[]): string {
  return sources.filter((source) => typeof source === 'string').join(' ');
}

function isOfRbac(document: unknown): document is KubernetesObject {
  const { apiVersion } = (document ?? {}) as KubernetesObject;
  return apiVersion?.startsWith('rbac.authorization.k8s.io/') === true;
}
