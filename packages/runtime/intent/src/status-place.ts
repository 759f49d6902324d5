import type { DeepReadonly, KubernetesObject, Persisted } from '@keelson/apimachinery';
import { IntentError } from './errors.ts';
import { patchStatus, type StatusChange } from '@keelson/client';
import { nameOf } from './name-of.ts';
import { checkRecordSize } from './record-limit.ts';
import type { IntentAccess, IntentPlace } from './intent-place.ts';

/** The limit of etcd for one object (`--max-request-bytes`). */
const MAX_OBJECT_BYTES = 1.5 * 1024 * 1024;

/**
 * Stores the record in a member of the status. It is a string, because a schema would prune or default members of an
 * object, and the stored spec would then differ from the applied one.
 */
export class StatusPlace<T extends KubernetesObject> implements IntentPlace<T> {
  readonly isInObject = true;
  readonly #member: string;

  constructor(member: string) {
    this.#member = member;
  }

  read({ object }: IntentAccess<T>): string | undefined {
    return this.#valueOf(object);
  }

  check(access: IntentAccess<T>, text: string): void {
    const { status } = access.object as { readonly status?: object };
    const stored = { ...access.object, status: { ...status, [this.#member]: text } };
    const size = Buffer.byteLength(JSON.stringify(stored));
    const place = `status.${this.#member}`;
    checkRecordSize(access, { size, limit: MAX_OBJECT_BYTES, place });
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
      throw new IntentError('INTENT_NOT_STORED', {
        kind,
        ...nameOf(object),
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
