import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { builtin } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import type { Project } from '../../project/project.ts';
import { found, type Check } from '../runner/check-runner.ts';
import { accessesOf, nameOf, type Access } from './role-accesses.ts';

/** The most reviews that one run sends. */
const MAX_REVIEWS = 1000;
const CONCURRENT_REVIEWS = 8;

/** Whose permissions are checked, and where. */
export interface PermissionsOptions {
  /** The user in the results. */
  readonly user: string;
  /** The namespaces of a limited operator; none for all. */
  readonly namespaces: readonly string[];
}

/** Checks that the user of the client has each permission of the roles of a project. */
export function permissionsCheck(
  client: Client,
  project: Project,
  { user, namespaces }: PermissionsOptions,
): Check<never> {
  return {
    name: 'permissions',
    cure: 'let the user create SelfSubjectAccessReviews, and with --as impersonate the other user',
    run: async (signal) => {
      const { folder, roles, namespace } = project;
      const file = join(folder, roles);
      if (!existsSync(file)) {
        return found('warning', `${roles} is missing`, 'keelson rbac');
      }
      const { readRoles } = await import('@keelson/envtest');
      const { readDefinitions } = await import('../../manifests/operator/operator-sources.ts');
      // The check of the definitions reports those that cannot be read.
      const definitions = await readDefinitions(project).catch(() => []);
      const scope = { namespaces, definitions };
      const accesses = accessesOf(await readRoles(file, namespace), scope);
      const reviewed = accesses.slice(0, MAX_REVIEWS);
      const denied = await deniedOf(client, reviewed, signal);
      if (denied.length > 0) {
        const cure = `apply ${roles} and bind its roles to the user`;
        return found('failed', `${user} may not ${summary(denied)}`, cure);
      }
      const isPart = reviewed.length < accesses.length;
      const where = namespaces.length === 0 ? '' : ` in ${namespaces.join(', ')}`;
      const detail = `${user} has ${reviewed.length} permissions of ${roles}${where}`;
      const cure = `split ${roles}: only the first ${MAX_REVIEWS} permissions were checked`;
      return isPart ? found('warning', detail, cure) : found('ok', detail);
    },
  };
}

async function deniedOf(
  client: Client,
  accesses: readonly Access[],
  signal: AbortSignal,
): Promise<readonly Access[]> {
  const denied = new Set<Access>();
  const remaining = accesses.values();
  const work = async (): Promise<void> => {
    // The workers share the iterator, so that each takes the next access.
    for (const access of remaining) {
      if (!(await isAllowed(client, access, signal))) denied.add(access);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_REVIEWS }, work));
  return accesses.filter((access) => denied.has(access));
}

async function isAllowed(client: Client, access: Access, signal: AbortSignal): Promise<boolean> {
  const spec =
    'path' in access ? { nonResourceAttributes: access } : { resourceAttributes: access };
  const review = { metadata: {}, spec } as const;
  const { status } = await client.create(builtin.SelfSubjectAccessReview, review, { signal });
  return status?.allowed === true;
}

/** Joins the verbs of each resource: `get,list pods; patch leases.coordination.k8s.io in ops`. */
function summary(denied: readonly Access[]): string {
  const byResource = Map.groupBy(denied, (access) => nameOf(access));
  return [...byResource]
    .map(([name, accesses]) => `${accesses.map(({ verb }) => verb).join()} ${name}`)
    .join('; ');
}
