import type { Need, Permission } from './permission.ts';

/** Verbs on a resource that the same code sends sooner or later. */
interface Companions {
  readonly isFor: (permission: Permission) => boolean;
  readonly verbs: readonly string[];
  readonly need: Need;
}

const companions: readonly Companions[] = [
  // An informer relists after an interruption, also on a server on which its watch sent the first objects.
  {
    isFor: (permission) => permission.verb === 'watch' && !isLease(permission),
    verbs: ['list'],
    need: 'required',
  },
  // An informer lists or watches first, depending on the server. `list` reveals as much as the other two.
  {
    isFor: (permission) => ['list', 'watch'].includes(permission.verb) && !isLease(permission),
    verbs: ['get', 'list', 'watch'],
    need: 'expected',
  },
  // A leader election creates its Lease once, renews it after seconds, and watches it while another process leads.
  {
    isFor: (permission) => ['create', 'update'].includes(permission.verb) && isLease(permission),
    verbs: ['get', 'watch', 'create', 'update'],
    need: 'expected',
  },
  // An event that is repeated is patched.
  {
    isFor: ({ verb, group, resource }) =>
      verb === 'create' && resource === 'events' && (group === '' || group === 'events.k8s.io'),
    verbs: ['patch'],
    need: 'expected',
  },
];

function isLease({ group, resource }: Permission): boolean {
  return group === 'coordination.k8s.io' && resource === 'leases';
}

/** The permissions that others bring along, because a test may end before the code needs them. */
export function expectedPermissions(observed: readonly Permission[]): Permission[] {
  return observed
    .filter(({ need }) => need === 'required')
    .flatMap((permission) =>
      companions
        .filter(({ isFor }) => isFor(permission))
        .flatMap(({ verbs, need }) => verbs.map((verb) => ({ ...permission, verb, need })))
        .filter(({ verb }) => verb !== permission.verb)
        .map((companion) => ({ ...companion, ...namesOf(companion, permission, observed) })),
    );
}

/** RBAC cannot limit `create` by name, so the companions of a `create` get the names of the other verbs. */
function namesOf(
  { verb }: Permission,
  cause: Permission,
  observed: readonly Permission[],
): Pick<Permission, 'names' | 'usedNames'> {
  if (verb === 'create') return { names: undefined, usedNames: undefined };
  if (cause.verb !== 'create') return picked(cause);
  const named = observed.filter(({ verb: other, group, resource, namespace }) => {
    const isSame = group === cause.group && resource === cause.resource;
    return isSame && namespace === cause.namespace && other !== 'create';
  });
  return picked(named.find(({ names }) => names === undefined) ?? named[0] ?? cause);
}

function picked({ names, usedNames }: Permission): Pick<Permission, 'names' | 'usedNames'> {
  return { names, usedNames };
}
