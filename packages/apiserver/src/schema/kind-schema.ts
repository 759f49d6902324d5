import type { KubernetesObject, StatusCause } from '@keelson/apimachinery';
import type { SchemaType } from './schema-type.ts';

/** What a write is about: the object itself, its `/status` or another part that has a URL of its own. */
export type WrittenPart = 'object' | 'status' | 'other';

/** What the server needs to know of one kind in order to take, complete and judge its objects. */
export interface KindSchema {
  /** The shape, for patches and for server-side apply. */
  readonly type: SchemaType;
  /** Removes the fields that the schema does not know and returns their paths: `spec.foo`, `spec.containers[0].bar`. */
  prune(object: KubernetesObject): string[];
  /**
   * Checks that every value has its type and brings the object to the form in which the server keeps it
   * (null and, for built-in kinds, empty values vanish as they do in the typed server).
   * Throws a `StatusError` (400 BadRequest) on a value that does not decode.
   */
  decode(object: KubernetesObject): void;
  /** Fills in what a real server fills in. Idempotent. */
  setDefaults(object: KubernetesObject): void;
  /** What the kind's registry does to a new object beyond defaulting: resets status, allocates addresses, adds labels made from the uid. */
  prepareForCreate(object: KubernetesObject, context: CreateContext): void;
  /** What the kind's registry does to an update, before it is judged. */
  prepareForUpdate?(object: KubernetesObject, old: KubernetesObject, part: WrittenPart): void;
  /** What a client is warned of that writes an object that is good. `old` makes it an update. */
  warningsOf?(object: KubernetesObject, old?: KubernetesObject): string[];
  /**
   * The causes for which the object is refused (422 Invalid), empty if it is good. `old` makes it an update;
   * what was wrong already and stays as it was is added to `warnings` where the server tells it. Of a write of the
   * `status` some kinds judge nothing else.
   */
  validate(
    object: KubernetesObject,
    old?: KubernetesObject,
    warnings?: string[],
    part?: WrittenPart,
  ): StatusCause[];
}

/** What preparing a new object takes from the server's state. */
export interface CreateContext {
  /** The server's clock as RFC 3339 in whole seconds. */
  readonly now: string;
  /** The URL that the object was sent to. Default `object`. */
  readonly part?: WrittenPart;
  /** A Service address that nobody has. */
  allocateClusterIp(): string;
  /** A node port that nobody has. */
  allocateNodePort(): number;
}
