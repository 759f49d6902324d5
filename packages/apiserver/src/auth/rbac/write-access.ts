import { StatusError } from '@keelson/apimachinery';
import type { Authorizer, ResourceAttributes } from '../authorizer.ts';
import { forbiddenStatus } from '../forbidden.ts';
import { type Grant, GrantCheck } from './grant-check.ts';
import type { RbacSource } from './rbac-authorizer.ts';

/** What a requester needs besides the permission for its own request, which is checked before the body is read. */
export class WriteAccess {
  readonly #authorizer: Authorizer;
  /** `undefined` without RBAC: every requester holds every permission. */
  readonly #grants: GrantCheck | undefined;

  constructor(authorizer: Authorizer, rbac: RbacSource | undefined) {
    this.#authorizer = authorizer;
    this.#grants = rbac && new GrantCheck(authorizer, rbac);
  }

  /** An apply or a PUT that creates an object needs the permission to create it. Throws 403. */
  checkCreate(requester: ResourceAttributes): void {
    if (requester.verb === 'create') return;
    const attributes = { ...requester, verb: 'create' };
    const decision = this.#authorizer.authorize(attributes);
    if (!decision.allowed) throw new StatusError(forbiddenStatus(attributes, decision));
  }

  /** Throws 403 for a role or a binding that grants more than the requester holds. */
  checkGrant(grant: Grant): void {
    this.#grants?.check(grant);
  }
}
