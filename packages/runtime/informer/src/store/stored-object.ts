import {
  apiVersionOf,
  hasCode,
  type ApiResource,
  type DeepReadonly,
  type ErrorFacts,
  type Persisted,
  type PersistedMeta,
} from '@keelson/apimachinery';
import { informerError } from '../errors.ts';
import type { Memory, Remembered } from '../memory/memory.ts';
import type { Unreadable } from './object-repair.ts';
import type { Projection } from '../contract/watch-query.ts';
import type { ObjectView } from '../contract/object-view.ts';
import type { Slab, Tenant } from '../memory/slab-pool.ts';

/** Identifies one version of an object within its namespace. */
interface ObjectVersion {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/**
 * One version of one object. A cache has one for each object of a cluster, so it must be small: its
 * bytes are in a slab, and `Memory` keeps its parsed parts for a while.
 */
export class StoredObject implements ObjectView, Remembered, Tenant {
  readonly of: ObjectForm;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** The slab with the bytes; `undefined` for an object that is kept parsed. */
  slab: Slab | undefined = undefined;
  slot = 0;
  /** True if user code may have a view of this version. Otherwise its bytes are free when it has left the store. */
  isShown = false;
  /** The parsed metadata, until `Memory` makes the object forget it. An object without bytes keeps it. */
  #head: PersistedMeta | undefined = undefined;
  /**
   * The parsed object. Only objects without bytes have it, and versions that left the store, which exist until user
   * code drops their view.
   */
  #body: Persisted | undefined = undefined;

  constructor(
    of: ObjectForm,
    namespace: string | undefined,
    { name, uid, resourceVersion }: ObjectVersion,
  ) {
    this.of = of;
    this.namespace = namespace;
    this.name = name;
    this.uid = uid;
    this.resourceVersion = resourceVersion;
  }

  get key(): string {
    return this.namespace === undefined ? this.name : `${this.namespace}/${this.name}`;
  }

  get apiVersion(): string {
    return this.of.apiVersion;
  }

  get kind(): string {
    return this.of.kind;
  }

  /** The number of bytes in the store; 0 for an object that was never stored as bytes. */
  get byteLength(): number {
    return this.slab?.length(this.slot) ?? 0;
  }

  get metadata(): DeepReadonly<PersistedMeta> {
    return this.#head ?? this.#parseHead();
  }

  value(): DeepReadonly<Persisted> {
    return this.#body ?? this.of.memory.bodies.get(this) ?? this.#parseBody();
  }

  /** Returns what a watch of the metadata returns. Only `managedFields` need the body. */
  partial(): DeepReadonly<Persisted> {
    const { apiVersion, kind } = this;
    const { metadata } = this.of.keepManagedFields ? this.#whole() : this;
    const value = { apiVersion, kind, metadata };
    return Object.isFrozen(metadata) ? Object.freeze(value) : value;
  }

  /** Keeps the parsed object, because there are no bytes or `retain` is `object`. */
  keepParsed(object: Persisted): void {
    this.#body = this.of.memory.shared(object) as Persisted;
    this.#head = this.of.memory.shared(withoutManagedFields(object.metadata)) as PersistedMeta;
  }

  /** Called before user code receives the object as a view, or before code keeps it across an `await`. */
  shown(): this {
    this.isShown = true;
    return this;
  }

  forgetHead(): void {
    this.#head = undefined;
  }

  /**
   * Called when the version leaves the store. It takes its parsed body from `Memory`, so that user code that keeps the
   * view need not parse it again.
   */
  retire(): void {
    if (this.slab !== undefined) {
      this.#body ??= this.of.memory.bodies.take(this);
    }
  }

  #parsed<Part>(parse: () => Part): Part {
    try {
      return parse();
    } catch (error) {
      throw this.of.unreadable(this, error);
    }
  }

  /** The error for a version that left the store unseen. A reader must not receive the bytes of another object. */
  #expired(): Error {
    return informerError('VIEW_EXPIRED', { key: this.key });
  }

  #parseHead(): PersistedMeta {
    if (this.slab === undefined) throw this.#expired();
    const metadata = this.of.memory.shared(this.#parsed(() => this.of.head(this))) as PersistedMeta;
    this.#head = metadata;
    if (this.slab.tenants[this.slot] === this) this.of.memory.rememberHead(this);
    return metadata;
  }

  /** Returns the object, or its metadata if a memory budget has dropped its body. */
  #whole(): DeepReadonly<Persisted> {
    if (this.of.keepsBody(this)) return this.value();
    return this.of.memory.shared(this.#parsed(() => this.of.decode(this)).body);
  }

  #parseBody(): DeepReadonly<Persisted> {
    if (!this.of.keepsBody(this)) throw this.of.bodyNotKept(this);
    if (this.slab === undefined) throw this.#expired();
    let decoded: Decoded;
    try {
      decoded = this.of.decode(this);
    } catch (error) {
      throw this.of.unreadable(this, error);
    }
    const body = this.of.memory.shared(decoded.body) as Persisted;
    const isStored = this.slab.tenants[this.slot] === this;
    if (isStored) this.of.memory.bodies.add(this, body, decoded.size);
    else this.#body = body;
    return body;
  }
}

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

function withoutManagedFields(metadata: PersistedMeta): PersistedMeta {
  if (metadata.managedFields === undefined) return metadata;
  const { managedFields: _cut, ...rest } = metadata;
  return rest;
}

/**
 * Returns the result of `look`, or `otherwise` if the bytes do not parse; the object is then being
 * fetched again.
 */
export function ifReadable<Result>(look: () => Result, otherwise: Result): Result {
  try {
    return look();
  } catch (error) {
    if (hasCode(error, 'OBJECT_MALFORMED')) return otherwise;
    throw error;
  }
}

/** Returns the parsed object; `undefined` if its bytes do not parse. */
export function readableValue(object: StoredObject): DeepReadonly<Persisted> | undefined {
  return ifReadable(() => object.value(), undefined);
}
