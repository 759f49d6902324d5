import type { ApiResource, ObjectKey, OwnerReference, Persisted } from '@keelson/apimachinery';
import { jsonFormat, type Frame, type WatchEventType } from '@keelson/wire';
import type { Projection } from '@keelson/informer';
import type { Item } from './kind.ts';

/** The finalizer that holds objects. */
const FINALIZER = 'example.com/hold';

/** The part of an object that a writer chooses. */
export interface Content {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** The name of the Thing that the object belongs to. */
  readonly target?: string | undefined;
  /** A finalizer holds the object when it is deleted. */
  readonly isHeld?: boolean | undefined;
  /** It was deleted, and a finalizer holds it. */
  readonly isTerminating?: boolean | undefined;
}

/** The identity of a state: its place and its version. */
export interface StateIdentity {
  readonly resource: ApiResource<Item>;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly version: number;
  /** The number of the change, which increases over all servers with different versions. */
  readonly stamp: number;
}

/** One state of an object, and its bytes on the wire. */
export class ObjectState {
  readonly key: ObjectKey;
  readonly identity: StateIdentity;
  readonly content: Content;
  readonly #bytes = new Map<string, Uint8Array>();
  #object: Persisted<Item> | undefined;

  constructor(identity: StateIdentity, content: Content) {
    this.identity = identity;
    this.content = content;
    this.key = `${identity.namespace}/${identity.name}`;
  }

  get stamp(): number {
    return this.identity.stamp;
  }

  /** The object as a client receives it. */
  get object(): Persisted<Item> {
    this.#object ??= this.#create();
    return this.#object;
  }

  /** Returns the frame of an event. The event of a deletion has the version of the deletion. */
  frame(type: WatchEventType, projection: Projection, version?: number): Frame {
    const buffer = this.#encoded(projection, version);
    return { type, format: jsonFormat, buffer, from: 0, to: buffer.length };
  }

  /** Returns a frame whose metadata can be read and whose body is not JSON. */
  spoiled(type: WatchEventType, projection: Projection): Frame {
    const text = Buffer.from(this.#encoded(projection, undefined)).toString();
    const buffer = Buffer.from(`${text.slice(0, -1)},"status":{"value":x}}`);
    return { type, format: jsonFormat, buffer, from: 0, to: buffer.length };
  }

  #encoded(projection: Projection, version: number | undefined): Uint8Array {
    const id = `${projection} ${version ?? ''}`;
    const known = this.#bytes.get(id);
    if (known !== undefined) return known;
    const { object } = this;
    const { apiVersion, kind, ...rest } = object;
    const resourceVersion = String(version ?? this.identity.version);
    const metadata = { ...object.metadata, resourceVersion };
    const head =
      projection === 'full'
        ? { apiVersion, kind, ...rest, metadata }
        : { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata };
    const bytes = Buffer.from(JSON.stringify(head));
    this.#bytes.set(id, bytes);
    return bytes;
  }

  #create(): Persisted<Item> {
    const { resource, namespace, name, uid, version, stamp } = this.identity;
    const { labels, value, target, isHeld, isTerminating } = this.content;
    return {
      apiVersion: `${resource.group}/${resource.version}`,
      kind: resource.kind,
      metadata: {
        name,
        namespace,
        uid,
        resourceVersion: String(version),
        creationTimestamp: '2026-01-01T00:00:00Z',
        labels: { ...labels },
        annotations: { stamp: String(stamp), ...(target === undefined ? {} : { target }) },
        ...(target !== undefined && resource.kind === 'Part'
          ? { ownerReferences: [{ ...ownerOf(target), controller: true }] }
          : {}),
        ...(isHeld === true ? { finalizers: [FINALIZER] } : {}),
        ...(isTerminating === true ? { deletionTimestamp: '2026-01-02T00:00:00Z' } : {}),
      },
      spec: { value, ...(target === undefined ? {} : { target }) },
    };
  }
}

/** Returns the reference to the Thing of a name. Its uid is the same for all things of this name. */
export function ownerOf(name: string): OwnerReference {
  return { apiVersion: 'example.com/v1', kind: 'Thing', name, uid: `owner ${name}` };
}

/** Returns the number of the change that made a state, as a reader of the object finds it. */
export function stampOf(object: {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
}): number {
  return Number(object.metadata.annotations?.['stamp']);
}
