import {
  hasCode,
  type DeepReadonly,
  type KubernetesObject,
  type ObjectIdentity,
  type ObjectMeta,
} from '@keelson/apimachinery';
import type { Remembered } from './memory.ts';
import type { ObjectForm } from './object-form.ts';
import type { ObjectView } from '../contract/object-view.ts';
import type { Slab, Tenant } from './arena.ts';

/**
 * One version of one object. As small as can be, since there is one per object of a cluster: its
 * bytes stand in a slab, and what is parsed from them is remembered elsewhere and for a while.
 */
export class StoredObject implements ObjectView, Remembered, Tenant {
  readonly of: ObjectForm;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Where the bytes are; `undefined` for an object that is kept parsed. */
  slab: Slab | undefined = undefined;
  slot = 0;
  /** Metadata that was parsed lately, until `Memory` forgets it; for good where there are no bytes. */
  #head: ObjectMeta | undefined = undefined;
  /**
   * The parsed object: for good where there are no bytes, and on a version that the store has
   * moved on from, which lives only as long as somebody looks at it.
   */
  #body: KubernetesObject | undefined = undefined;

  constructor(of: ObjectForm, namespace: string | undefined, identity: ObjectIdentity) {
    this.of = of;
    this.namespace = namespace;
    this.name = identity.name ?? '';
    this.uid = identity.uid ?? '';
    this.resourceVersion = identity.resourceVersion ?? '';
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

  /** The bytes behind the object, 0 for one that never had any. */
  get byteLength(): number {
    const slab = this.slab;
    return slab === undefined ? 0 : slab.end(this.slot) - slab.start(this.slot);
  }

  get metadata(): DeepReadonly<ObjectMeta> {
    return this.#head ?? this.#parseHead();
  }

  value(): DeepReadonly<KubernetesObject> {
    return this.#body ?? this.of.memory.body(this) ?? this.#parseBody();
  }

  /** The object has no bytes, or is to stay parsed all its life. */
  keepParsed(object: KubernetesObject): void {
    this.#body = this.of.memory.shared(object) as KubernetesObject;
    this.#head = this.of.memory.shared(withoutManagedFields(object.metadata ?? {})) as ObjectMeta;
  }

  forgetHead(): void {
    this.#head = undefined;
  }

  /** The store moves on: what is parsed stays with the view and dies with it. */
  retire(): void {
    if (this.slab !== undefined) {
      this.#body ??= this.of.memory.takeBody(this);
    }
  }

  #parsed<Part>(parse: () => Part): Part {
    try {
      return parse();
    } catch (error) {
      throw this.of.unreadable(this, error);
    }
  }

  #isStored(): boolean {
    return this.slab?.tenants[this.slot] === this;
  }

  #parseHead(): ObjectMeta {
    const metadata = this.of.memory.shared(this.#parsed(() => this.of.head(this))) as ObjectMeta;
    this.#head = metadata;
    if (this.#isStored()) this.of.memory.rememberHead(this);
    return metadata;
  }

  #parseBody(): DeepReadonly<KubernetesObject> {
    const decoded = this.#parsed(() => this.of.decode(this));
    const body = this.of.memory.shared(decoded) as KubernetesObject;
    if (this.#isStored()) this.of.memory.rememberBody(this, body);
    else this.#body = body;
    return body;
  }
}

function withoutManagedFields(metadata: ObjectMeta): ObjectMeta {
  if (metadata.managedFields === undefined) return metadata;
  const { managedFields: _cut, ...rest } = metadata;
  return rest;
}

/** What a look at an object gives; `otherwise` for one whose bytes do not parse, which is being fetched again. */
export function ifReadable<Result>(look: () => Result, otherwise: Result): Result {
  try {
    return look();
  } catch (error) {
    if (hasCode(error, 'OBJECT_MALFORMED')) return otherwise;
    throw error;
  }
}
