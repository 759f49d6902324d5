import type { ApiResource, DeepReadonly, KubernetesObject, Persisted } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';

/** The requests that a durable intent sends. */
export type IntentClient = Pick<Client, 'get' | 'list' | 'patch' | 'apply' | 'delete' | 'status'>;

/** The object of a record, and what sends the requests. */
export interface IntentTarget<T extends KubernetesObject> {
  /** The client of the reconcile. */
  readonly client: IntentClient;
  /** The object as the reconcile read it. */
  readonly object: DeepReadonly<Persisted<T>>;
  /** Aborts the requests. Default: none. */
  readonly signal?: AbortSignal | undefined;
}

/** A target whose kind is known. */
export interface IntentAccess<T extends KubernetesObject> extends IntentTarget<T> {
  readonly resource: ApiResource<T>;
}

/** Stores the record of one object as a text. Its calls may be repeated. */
export interface IntentPlace<T extends KubernetesObject> {
  /** True if the text is a part of the object, so that an old object has an old text. Default false. */
  readonly isInObject?: boolean;
  /** Returns the stored text, or `undefined` for none. */
  read(access: IntentAccess<T>): Promise<string | undefined> | string | undefined;
  /**
   * Replaces the stored text. May return the object as it is then; an object that no longer exists is not an error, and
   * its record may be dropped.
   */
  write(
    access: IntentAccess<T>,
    text: string,
  ): Promise<DeepReadonly<Persisted<T>> | void> | DeepReadonly<Persisted<T>> | void;
  /** Throws for a text that the place cannot store. Called before the action, so that no work is done in vain. */
  check?(access: IntentAccess<T>, text: string): void;
}
