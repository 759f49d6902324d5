import {
  apiVersionOf,
  type ApiResource,
  type HeadPositions,
  type Persisted,
  type PersistedMeta,
} from '@keelson/apimachinery';
import { informerError } from '../errors.ts';
import type { Memory } from '../memory/memory.ts';
import type { Unreadable } from './object-repair.ts';
import type { Tenant } from '../memory/slab.ts';
import type { Projection } from '../contract/watch-query.ts';

/** The properties that all objects of one watch share, and the code that reads their bytes. */
export class ObjectForm {
  readonly apiVersion: string;
  readonly kind: string;
  readonly projection: Projection;
  readonly memory: Memory;
  /** Called when the bytes of an object do not parse. */
  onUnreadable: (object: Unreadable, error: unknown) => void = () => undefined;
  #positions: HeadPositions | undefined;

  constructor(resource: ApiResource, projection: Projection, memory: Memory) {
    this.apiVersion = apiVersionOf(resource);
    this.kind = resource.kind;
    this.projection = projection;
    this.memory = memory;
  }

  /** True if an object of `kind` belongs to the watch. Items of a list have no `kind`. */
  accepts(kind: string | undefined): boolean {
    return (
      kind === undefined ||
      kind === this.kind ||
      (kind === 'PartialObjectMetadata' && this.projection === 'metadata')
    );
  }

  /** Reports bytes that do not parse, and returns the error for the caller. */
  unreadable(object: Unreadable & { readonly key: string }, cause: unknown): Error {
    this.onUnreadable(object, cause);
    return informerError('OBJECT_MALFORMED', { key: object.key }, cause);
  }

  /** Parses the metadata from the bytes of an object. */
  head(object: Tenant): PersistedMeta {
    const slab = object.slab;
    if (slab === undefined) return {} as PersistedMeta;
    const from = slab.start(object.slot);
    const to = slab.end(object.slot);
    const positions = (this.#positions ??= slab.format.positions());
    slab.format.scan(slab.buffer, from, to, positions);
    return slab.format.head(slab.buffer, from, to, positions).metadata as PersistedMeta;
  }

  /** Parses all bytes of an object. */
  decode(object: Tenant): Persisted {
    const slab = object.slab;
    if (slab === undefined) return {} as Persisted;
    return this.complete(
      slab.format.decode(slab.buffer, slab.start(object.slot), slab.end(object.slot)),
    );
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
