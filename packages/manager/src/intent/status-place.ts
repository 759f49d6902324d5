import type { DeepReadonly, KubernetesObject, Persisted } from '@keelson/apimachinery';
import { ManagerError } from '../errors.ts';
import { patchStatus, type StatusChange } from '../reconcile/patch-status.ts';
import { requestFor } from '../reconcile/request.ts';
import type { IntentAccess, IntentPlace } from './intent-place.ts';

/**
 * Stores the record in a member of the status. It is a string, because a schema would prune or default members of an
 * object, and the stored spec would then differ from the applied one.
 */
export class StatusPlace<T extends KubernetesObject> implements IntentPlace<T> {
  readonly #member: string;

  constructor(member: string) {
    this.#member = member;
  }

  read({ object }: IntentAccess<T>): string | undefined {
    return this.#valueOf(object);
  }

  /** Throws `INTENT_NOT_STORED` if the schema of the kind lacks the member. */
  async write(
    { client, resource, object, signal }: IntentAccess<T>,
    text: string,
  ): Promise<DeepReadonly<Persisted<T>> | undefined> {
    const status = { [this.#member]: text } as StatusChange<T>;
    const access = { client, resource, object, ...(signal && { signal }) };
    const written = await patchStatus({ ...access, status });
    if (written !== undefined && this.#valueOf(written) !== text) {
      const { kind } = resource;
      throw new ManagerError('INTENT_NOT_STORED', {
        kind,
        ...requestFor(object),
        member: `status.${this.#member}`,
      });
    }
    return written;
  }

  #valueOf(object: object): string | undefined {
    const { status } = object as { readonly status?: Readonly<Record<string, unknown>> };
    const value = status && Object.hasOwn(status, this.#member) ? status[this.#member] : undefined;
    return typeof value === 'string' ? value : undefined;
  }
}
