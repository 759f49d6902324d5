import {
  apiVersionOf,
  type ApiResource,
  type ErrorFacts,
  type Persisted,
  type PersistedMeta,
} from '@keelson/apimachinery';
import { informerError } from '../errors.ts';
import type { Memory } from '../memory/memory.ts';
import type { Unreadable } from './object-repair.ts';
import type { Tenant } from '../memory/slab.ts';
import type { Projection } from '../contract/watch-query.ts';

/** A parsed object. */
export interface Decoded {
  readonly body: Persisted;
  /** The length of the text of the object, in bytes. */
  readonly size: number;
}

export interface ObjectFormOptions {
  readonly resource: ApiResource;
  readonly projection: Projection;
  readonly memory: Memory;
  readonly keepManagedFields: boolean;
}

/** The properties that all objects of one watch share, and the code that reads their bytes. */
export class ObjectForm {
  readonly apiVersion: string;
  readonly kind: string;
  readonly projection: Projection;
  readonly memory: Memory;
  readonly keepManagedFields: boolean;
  /**
   * The facts of the memory budget for which the store drops bodies. While it is set no reader receives a body, even if
   * some have not been dropped yet.
   */
  droppedFor: ErrorFacts | undefined = undefined;
  /** Called when the bytes of an object do not parse. */
  onUnreadable: (object: Unreadable, error: unknown) => void = () => undefined;

  constructor({ resource, projection, memory, keepManagedFields }: ObjectFormOptions) {
    this.apiVersion = apiVersionOf(resource);
    this.kind = resource.kind;
    this.projection = projection;
    this.memory = memory;
    this.keepManagedFields = keepManagedFields;
  }

  /** True if an object of another kind belongs to the watch: the metadata of its kind. */
  acceptsOther(kind: string): boolean {
    return kind === 'PartialObjectMetadata' && this.projection === 'metadata';
  }

  /** Reports bytes that do not parse, and returns the error for the caller. */
  unreadable(object: Unreadable & { readonly key: string }, cause: unknown): Error {
    this.onUnreadable(object, cause);
    return informerError('OBJECT_MALFORMED', { key: object.key }, cause);
  }

  /** Called when a memory budget drops the bodies of all objects. */
  dropBodies(budget: ErrorFacts): void {
    this.droppedFor = budget;
    this.memory.bodies.release(this);
  }

  /** False for an object whose body a memory budget has dropped or will drop. */
  keepsBody({ slab }: Tenant): boolean {
    return this.droppedFor === undefined && slab?.encoding.isHeadOnly !== true;
  }

  bodyNotKept({ key }: { readonly key?: string } = {}): Error {
    return informerError('BODY_NOT_KEPT', { kind: this.kind, key, ...this.droppedFor });
  }

  /** Parses the metadata from the bytes of an object. */
  head({ slab, slot }: Tenant): PersistedMeta {
    if (slab === undefined) return {} as PersistedMeta;
    const { format } = slab.encoding;
    const { buffer, from, to } = slab.text(slot);
    return format.metadata(buffer, from, to) as PersistedMeta;
  }

  /** Parses all bytes of an object. */
  decode({ slab, slot }: Tenant): Decoded {
    if (slab === undefined) return { body: {} as Persisted, size: 0 };
    const { buffer, from, to } = slab.text(slot);
    const body = this.complete(slab.encoding.format.decode(buffer, from, to));
    return { body, size: to - from };
  }

  /**
   * Adds `apiVersion` and `kind`. Lists of built-in kinds omit them in items, and metadata have the
   * kind `PartialObjectMetadata`.
   */
  complete(decoded: unknown): Persisted {
    const object = decoded as Persisted;
    if (object.apiVersion !== undefined && object.kind === this.kind) return object;
    const type = { apiVersion: this.apiVersion, kind: this.kind };
    return Object.assign({ ...type }, object, type);
  }
}
