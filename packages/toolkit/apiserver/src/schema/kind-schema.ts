import type { KubernetesObject, StatusCause } from '@keelson/apimachinery';
import type { SchemaType } from './schema-type.ts';

/** The part that a write addresses: the object, or a part with its own URL. */
export type WrittenPart =
  | 'object'
  | 'status'
  | 'approval'
  | 'ephemeralcontainers'
  | 'resize'
  | 'other';

/** The user of a request. */
export interface Requester {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** State of the server that an update depends on. */
export interface UpdateContext {
  readonly part: WrittenPart;
  /** The server's clock in RFC 3339 with whole seconds. */
  readonly now: string;
}

/** The rules by which the server decodes, completes and validates the objects of one kind. */
export interface KindSchema {
  /** The type that patches and server-side apply use. */
  readonly type: SchemaType;
  /** Removes the fields that the schema does not know and returns their paths: `spec.foo`, `spec.containers[0].bar`. */
  prune(object: KubernetesObject): string[];
  /**
   * Checks the type of every value and converts the object to its stored form in place. Null and, for built-in kinds,
   * empty values are removed as in the typed server. Throws a `StatusError` (400 BadRequest) if a value does not
   * decode.
   */
  decode(object: KubernetesObject): void;
  /**
   * Sets the defaults of kube-apiserver. Idempotent. In the result of an apply (`isApplied`), a null of a custom resource
   * that has no default stays, and the validation rejects it.
   */
  setDefaults(object: KubernetesObject, isApplied?: boolean): void;
  /** Prepares a new object as the registry of its kind does: resets the status, allocates addresses, adds labels. */
  prepareForCreate(object: KubernetesObject, context: CreateContext): void;
  /** Prepares an update as the registry of its kind does, before validation. */
  prepareForUpdate?(object: KubernetesObject, old: KubernetesObject, context: UpdateContext): void;
  /** Returns the warnings for a valid object; with `old` those of an update. */
  warningsOf?(object: KubernetesObject, old?: KubernetesObject): string[];
  /**
   * Returns the causes of a 422 Invalid, empty if the object is valid; `old` makes it an update. Problems that an
   * update leaves unchanged are added to `warnings` if the server reports them. For a write of the `status`, some kinds
   * validate only the status.
   */
  validate(
    object: KubernetesObject,
    old?: KubernetesObject,
    warnings?: string[],
    part?: WrittenPart,
  ): StatusCause[];
}

/** State of the server that a new object depends on. */
export interface CreateContext {
  /** The server's clock in RFC 3339 with whole seconds. */
  readonly now: string;
  /** The part that the URL addresses. Default `object`. */
  readonly part?: WrittenPart;
  /** The user of the request; absent if the server creates the object itself. */
  readonly requester?: Requester | undefined;
  /** Warnings of the response, to which a preparation appends. */
  readonly warnings?: string[];
  /** Allocates a Service address that is not in use. */
  allocateClusterIp(): string;
  /** Allocates a node port that is not in use. */
  allocateNodePort(): number;
}
