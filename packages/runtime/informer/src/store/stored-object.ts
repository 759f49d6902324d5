import {
  hasCode,
  type DeepReadonly,
  type Persisted,
  type PersistedMeta,
} from '@keelson/apimachinery';
import { informerError } from '../errors.ts';
import type { Remembered } from '../memory/memory.ts';
import type { Decoded, ObjectForm } from './object-form.ts';
import type { ObjectView } from '../contract/object-view.ts';
import type { Slab, Tenant } from '../memory/slab.ts';

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
