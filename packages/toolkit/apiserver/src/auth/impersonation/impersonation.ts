import { StatusError } from '@keelson/apimachinery';
import { type KubernetesVersion, newestVersion } from '../../releases/kubernetes-version.ts';
import { unauthorized } from '../../status-errors/status-errors.ts';
import type { AccessAttributes, Authorizer } from '../authorizer.ts';
import { forbiddenStatus } from '../forbidden.ts';
import type { AccessRecord } from '../observed/access-record.ts';
import { impersonationChecks, type ImpersonationCheck } from './impersonation-check.ts';
import { impersonationModes, widestMode, type ImpersonationMode } from './impersonation-mode.ts';
import { nodeOf, nodesGroup, serviceAccountGroups, serviceAccountOf } from '../system-user.ts';
import { anonymous, authenticatedGroup, unauthenticatedGroup, type User } from '../user.ts';

export interface ImpersonationContext {
  readonly authorizer: Authorizer;
  readonly accesses: AccessRecord;
  readonly version: KubernetesVersion;
}

/** Authorizes impersonation as in KEP-5284, which kube-apiserver 1.36 enables. */
export class Impersonation {
  readonly #authorizer: Authorizer;
  readonly #accesses: AccessRecord;
  /**
   * The mode that last allowed each requester. The server tries it first, as kube-apiserver does. It therefore
   * decides the rejection message and whether a node gets the node group. The map grows with the number of
   * requesters, which is small.
   */
  readonly #lastModes = new Map<string, ImpersonationMode>();
  readonly #modes: readonly ImpersonationMode[];

  constructor({ authorizer, accesses, version }: ImpersonationContext) {
    this.#authorizer = authorizer;
    this.#accesses = accesses;
    // The gate ConstrainedImpersonation is off before 1.36.
    this.#modes = version === newestVersion ? impersonationModes : [widestMode];
  }

  /** The user whose identity the request assumes. Throws 403 if its requester may not impersonate that user. */
  userFor(wanted: User, request: AccessAttributes): User {
    const requester = request.user;
    this.#record(wanted, request);
    let refusal: StatusError | undefined;
    for (const mode of this.#modesOf(requester)) {
      if (!mode.isFor(wanted, requester)) continue;
      const refused = this.#refusal(impersonationChecks(mode, wanted, request));
      if (refused === undefined) {
        this.#lastModes.set(requester.name, mode);
        return { ...wanted, groups: groupsIn(mode, wanted) };
      }
      refusal ??= refused;
    }
    throw refusal ?? unauthorized();
  }

  /** Records the verb `impersonate`, which every server knows, and not the constrained verbs, which are newer. */
  #record(wanted: User, request: AccessAttributes): void {
    for (const { needed } of impersonationChecks(widestMode, wanted, request)) {
      this.#accesses.add(needed);
    }
  }

  #modesOf({ name }: User): readonly ImpersonationMode[] {
    const last = this.#lastModes.get(name);
    if (last === undefined) return this.#modes;
    return [last, ...this.#modes.filter((mode) => mode !== last)];
  }

  #refusal(checks: Iterable<ImpersonationCheck>): StatusError | undefined {
    for (const { needed, or, never } of checks) {
      const decision =
        never === undefined
          ? this.#authorizer.authorize(needed)
          : { allowed: false, reason: never };
      if (decision.allowed) continue;
      if (or !== undefined && this.#authorizer.authorize(or).allowed) continue;
      return new StatusError(forbiddenStatus(needed, decision));
    }
    return undefined;
  }
}

function groupsIn(mode: ImpersonationMode, { name, groups }: User): readonly string[] {
  const own = groups.length > 0 ? groups : fixedGroups(mode, name);
  if (name === anonymous.name) return withGroup(own, unauthenticatedGroup);
  return own.includes(unauthenticatedGroup) ? own : withGroup(own, authenticatedGroup);
}

/** The groups that follow from a user name. */
function fixedGroups({ name: mode }: ImpersonationMode, username: string): string[] {
  const account = serviceAccountOf(username);
  if (account !== undefined) return serviceAccountGroups(account.namespace);
  return mode !== undefined && nodeOf(username) !== undefined ? [nodesGroup] : [];
}

function withGroup(groups: readonly string[], group: string): readonly string[] {
  return groups.includes(group) ? groups : [...groups, group];
}
