import type { ApiResource, DeepReadonly, KubernetesObject, Persisted } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';

/** The methods of a client that a durable intent calls. */
export type IntentClient = Pick<Client, 'get' | 'list' | 'patch' | 'apply' | 'delete' | 'status'>;

/** An object with a record, and the client and the signal for its requests. */
export interface IntentTarget<T extends KubernetesObject> {
  /** The client of the reconcile. */
  readonly client: IntentClient;
  /** The object as the reconcile read it. */
  readonly object: DeepReadonly<Persisted<T>>;
  /** Aborts the requests. Default: none. */
  readonly signal?: AbortSignal | undefined;
}

/** A target together with the resource of its kind. */
export interface IntentAccess<T extends KubernetesObject> extends IntentTarget<T> {
  readonly resource: ApiResource<T>;
}

/** Stores the record of one object as a text. Its methods must be idempotent, because calls may be repeated. */
export interface IntentPlace<T extends KubernetesObject> {
  /** True if the text is a part of the object, so that a stale object has a stale text. Default false. */
  readonly isInObject?: boolean;
  /** Returns the stored text, or `undefined` for none. */
  read(access: IntentAccess<T>): Promise<string | undefined> | string | undefined;
  /**
   * Replaces the stored text. May resolve with the object after the write. It must not reject if the object no longer
   * exists, and may then drop the text.
   */
  write(
    access: IntentAccess<T>,
    text: string,
  ): Promise<DeepReadonly<Persisted<T>> | void> | DeepReadonly<Persisted<T>> | void;
  /** Throws if the place cannot store the text. Called before the action, whose success could not be recorded. */
  check?(access: IntentAccess<T>, text: string): void;
}
