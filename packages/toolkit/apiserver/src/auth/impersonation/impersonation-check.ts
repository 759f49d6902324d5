import { checkSubdomain } from '@keelson/cel/internal';
import type { AccessAttributes, ResourceAttributes } from '../authorizer.ts';
import type { ImpersonationMode } from './impersonation-mode.ts';
import { nodeOf, serviceAccountOf } from '../system-user.ts';
import { mastersGroup, type User } from '../user.ts';

/** One permission that a requester needs for impersonation. */
export interface ImpersonationCheck {
  readonly needed: AccessAttributes;
  /** A wider permission that also suffices. */
  readonly or?: AccessAttributes | undefined;
  /** The reason why no user can have this permission. */
  readonly never?: string;
}

type Wanted = Pick<ResourceAttributes, 'resource' | 'name'> & Partial<ResourceAttributes>;
type Right = (wanted: Wanted) => ResourceAttributes;

/** From this number of values on, the permission for all values is checked first. */
const WILDCARD_FIRST_COUNT = 4;
const authentication = 'authentication.k8s.io';

/** The permissions that the requester needs in order to impersonate the wanted user in a mode. */
export function* impersonationChecks(
  mode: ImpersonationMode,
  wanted: User,
  request: AccessAttributes,
): Generator<ImpersonationCheck> {
  if (mode.name !== undefined) {
    yield { needed: { ...request, verb: `impersonate-on:${mode.name}:${request.verb}` } };
  }
  const right = rightsOf(mode, request.user);
  const group = mode.name === undefined ? '' : authentication;
  yield { needed: right({ group, ...namedIn(mode, wanted.name) }) };
  if (wanted.uid) yield { needed: right({ resource: 'uids', name: wanted.uid }) };
  const isConstrained = mode.name !== undefined;
  yield* groupChecks(
    wanted.groups,
    (name) => right({ group, resource: 'groups', name }),
    isConstrained,
  );
  yield* extraChecks(wanted.extra ?? {}, right, isConstrained);
}

function rightsOf({ name: mode }: ImpersonationMode, user: User): Right {
  const verb = mode === undefined ? 'impersonate' : `impersonate:${mode}`;
  const base = { kind: 'resource', user, verb, group: authentication } as const;
  return (wanted) => ({ ...base, subresource: '', namespace: '', ...wanted });
}

/** The resource and name under which a user name is authorized. */
function namedIn({ name: mode }: ImpersonationMode, username: string): Wanted {
  const account = serviceAccountOf(username);
  if (account !== undefined) return { resource: 'serviceaccounts', ...account };
  const node = mode === undefined ? undefined : nodeOf(username);
  if (node === undefined) return { resource: 'users', name: username };
  // A service account runs on many nodes, so its permission covers all nodes.
  return { resource: 'nodes', name: mode === 'associated-node' ? '*' : node };
}

function* groupChecks(
  groups: readonly string[],
  rightTo: (group: string) => ResourceAttributes,
  isConstrained: boolean,
): Generator<ImpersonationCheck> {
  if (isConstrained && groups.includes('')) {
    yield { needed: rightTo(''), never: 'impersonating the empty string group is not allowed' };
  }
  if (isConstrained && groups.includes(mastersGroup)) {
    const never = `impersonating the ${mastersGroup} group is not allowed`;
    yield { needed: rightTo(mastersGroup), never };
  }
  const or = isConstrained && groups.length >= WILDCARD_FIRST_COUNT ? rightTo('*') : undefined;
  for (const group of groups) yield { needed: rightTo(group), or };
}

function* extraChecks(
  extra: NonNullable<User['extra']>,
  right: Right,
  isConstrained: boolean,
): Generator<ImpersonationCheck> {
  const rightTo = (subresource: string, name: string): ResourceAttributes =>
    right({ resource: 'userextras', subresource, name });
  const pairs = Object.entries(extra).flatMap(([key, values]) =>
    values.map((value) => [key, value] as const),
  );
  const never = isConstrained ? extraProblem(pairs) : undefined;
  if (never !== undefined) yield { needed: rightTo('', ''), never };
  const or = isConstrained && pairs.length >= WILDCARD_FIRST_COUNT ? rightTo('*', '*') : undefined;
  for (const [key, value] of pairs) yield { needed: rightTo(key, value), or };
}

/** The reason why extra values are invalid; `undefined` if they are valid. */
function extraProblem(
  pairs: readonly (readonly [key: string, value: string])[],
): string | undefined {
  for (const [key, value] of pairs) {
    if (key === '') return 'impersonating the empty string key in extra is not allowed';
    const problems = keyProblems(key).map((problem) => `extra.key: Invalid value: ${problem}`);
    if (problems.length > 0) {
      const shown = problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`;
      return `impersonating an invalid key in extra is not allowed: ${shown}`;
    }
    if (value === '') return 'impersonating the empty string value in extra is not allowed';
  }
  return undefined;
}

const pathSyntax = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const pathPattern = new RegExp(`^${pathSyntax}$`);

/** Checks that a key has the form `DOMAIN/PATH`. */
function keyProblems(key: string): string[] {
  const [host = '', path = ''] = key.split(/\/(.*)/s);
  if (host === '' || path === '') {
    return [`${JSON.stringify(key)}: must be a domain-prefixed path (such as "acme.io/foo")`];
  }
  const problems = checkSubdomain(host).map((problem) => `${JSON.stringify(host)}: ${problem}`);
  if (pathPattern.test(path)) return problems;
  return [
    ...problems,
    `${JSON.stringify(path)}: Invalid path (regex used for validation is '${pathSyntax}')`,
  ];
}
