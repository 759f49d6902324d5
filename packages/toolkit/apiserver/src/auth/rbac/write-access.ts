import { StatusError } from '@keelson/apimachinery';
import type { AccessDecision, Authorizer, ResourceAttributes } from '../authorizer.ts';
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
    const decision = this.#decide(attributes);
    if (!decision.allowed) throw new StatusError(forbiddenStatus(attributes, decision));
  }

  /** True if a requester may `approve` or `sign` the certificate requests of a signer, or of all in its domain. */
  allowsSigner(requester: ResourceAttributes, verb: 'approve' | 'sign', signer: string): boolean {
    const [domain = ''] = signer.split('/');
    return [signer, `${domain}/*`].some(
      (name) => this.#decide(signerAccess(requester, verb, name)).allowed,
    );
  }

  /** Throws 403 for a role or binding that grants more than the requester holds. Records the owners of the object. */
  checkObject(grant: Grant): void {
    recordBlockedOwners(grant, this.#findKind, this.#accesses);
    this.#grants?.check(grant);
  }

  #decide(attributes: ResourceAttributes): AccessDecision {
    const decided = this.#accesses.add(attributes);
    const decision = this.#authorizer.authorize(attributes);
    decided(decision.allowed);
    return decision;
  }
}

/** Signers are a resource without objects: their name is the `signerName` of requests. */
function signerAccess(
  { user }: ResourceAttributes,
  verb: string,
  name: string,
): ResourceAttributes {
  return {
    kind: 'resource',
    user,
    verb,
    group: 'certificates.k8s.io',
    resource: 'signers',
    subresource: '',
    namespace: '',
    name,
  };
}
