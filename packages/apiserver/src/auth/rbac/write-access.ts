import { StatusError } from '@keelson/apimachinery';
import type { Authorizer, ResourceAttributes } from '../authorizer.ts';
import { forbiddenStatus } from '../forbidden.ts';
import { type Grant, GrantCheck } from './grant-check.ts';
import type { RbacSource } from './rbac-authorizer.ts';

/** Checks permissions beyond that of the request itself, which the server checks before it reads the body. */
export class WriteAccess {
  readonly #authorizer: Authorizer;
  /** `undefined` without RBAC: every requester holds every permission. */
  readonly #grants: GrantCheck | undefined;

  constructor(authorizer: Authorizer, rbac: RbacSource | undefined) {
    this.#authorizer = authorizer;
    this.#grants = rbac && new GrantCheck(authorizer, rbac);
  }

  /** Throws 403 if an apply or PUT would create an object without the permission to create. */
  checkCreate(requester: ResourceAttributes): void {
    if (requester.verb === 'create') return;
    const attributes = { ...requester, verb: 'create' };
    const decision = this.#authorizer.authorize(attributes);
    if (!decision.allowed) throw new StatusError(forbiddenStatus(attributes, decision));
  }

  /** Throws 403 for a role or binding that grants more than the requester holds. */
  checkGrant(grant: Grant): void {
    this.#grants?.check(grant);
  }
}
