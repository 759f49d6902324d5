import { objectKey, type ObjectKey } from '@keelson/apimachinery';
import type { PartObject } from '../contract/watch-part.ts';
import { hasReached, isOlder } from '../reflector/resource-version.ts';
import type { StoredObject } from '../store/stored-object.ts';

/** An object of an event or a list, with its version. */
type Arriving = PartObject & { readonly resourceVersion: string };

/** The versions of two streams or lists of which one follows. */
export interface MergedVersions {
  /** The version up to which the store has the objects that the part had before it grew. */
  readonly former: string;
  /** The version up to which the store has the further objects. */
  readonly added: string;
}

/**
 * The time in which a watch has two versions, because its part grows: the running stream has one for the objects that the part
 * had, and the list beside it another one for the further objects. Then one stream begins at the older version, and
 * repeats events whose later states the store already has.
 */
export class PartOverlap {
  readonly #had: (object: PartObject) => boolean;
  /** The versions at which objects were removed meanwhile. */
  readonly #removed = new Map<ObjectKey, string>();
  #versions: MergedVersions | undefined;

  /** `had`: true for an object that the part had before. */
  constructor(had: (object: PartObject) => boolean) {
    this.#had = had;
  }

  /** Records that one stream has all objects from now on. */
  merge(versions: MergedVersions): void {
    this.#versions = versions;
  }

  /** True once one stream has all objects. */
  get isMerged(): boolean {
    return this.#versions !== undefined;
  }

  /** Records that an object was removed, by an event of this version, or with this state because it left the part. */
  removed(removed: Arriving): void {
    this.#removed.set(objectKey(removed), removed.resourceVersion);
  }

  /** True if a stream that has reached a version has repeated all events. */
  endsAt(version: string): boolean {
    if (this.#versions === undefined) return false;
    const { former, added } = this.#versions;
    return hasReached(version, former) && hasReached(version, added);
  }

  /** True if the store has had the state of an event or a list. `stored` is the object of its name. */
  includes(arriving: Arriving, stored: StoredObject | undefined): boolean {
    const { resourceVersion } = arriving;
    if (stored !== undefined) return hasReached(stored.resourceVersion, resourceVersion);
    // An object that leaves a selector is removed at the version of its next state.
    const removedAt = this.#removed.get(objectKey(arriving));
    if (removedAt !== undefined) return isOlder(resourceVersion, removedAt);
    if (this.#versions === undefined) return false;
    const { former, added } = this.#versions;
    return hasReached(this.#had(arriving) ? former : added, resourceVersion);
  }
}
