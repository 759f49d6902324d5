import { StatusError } from '@keelson/apimachinery';
import type { Authorizer, ResourceAttributes } from '../authorizer.ts';
import { forbiddenStatus } from '../forbidden.ts';
import type { AccessRecord } from '../observed/access-record.ts';
import { type Grant, GrantCheck } from './grant-check.ts';
import { recordBlockedOwners, type FindKind } from './owner-access.ts';
import type { RbacSource } from './rbac-authorizer.ts';

export interface WriteAccessParts {
  readonly authorizer: Authorizer;
  readonly rbac: RbacSource | undefined;
  readonly accesses: AccessRecord;
  readonly findKind: FindKind;
}

/** Checks permissions beyond that of the request itself, which the server checks before it reads the body. */
export class WriteAccess {
  readonly #authorizer: Authorizer;
  readonly #accesses: AccessRecord;
  readonly #findKind: FindKind;
  /** `undefined` without RBAC: every requester holds every permission. */
  readonly #grants: GrantCheck | undefined;

  constructor({ authorizer, rbac, accesses, findKind }: WriteAccessParts) {
    this.#authorizer = authorizer;
    this.#accesses = accesses;
    this.#findKind = findKind;
    this.#grants = rbac && new GrantCheck({ authorizer, source: rbac, accesses });
  }

  /** Throws 403 if an apply or PUT would create an object without the permission to create. */
  checkCreate(requester: ResourceAttributes): void {
    if (requester.verb === 'create') return;
    const attributes = { ...requester, verb: 'create' };
    const decided = this.#accesses.add(attributes);
    const decision = this.#authorizer.authorize(attributes);
    decided(decision.allowed);
    if (!decision.allowed) throw new StatusError(forbiddenStatus(attributes, decision));
  }

  /** Throws 403 for a role or binding that grants more than the requester holds. Records the owners of the object. */
  checkObject(grant: Grant): void {
    recordBlockedOwners(grant, this.#findKind, this.#accesses);
    this.#grants?.check(grant);
  }
}
