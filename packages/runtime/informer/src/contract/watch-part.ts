import { checkMethods, ignoreRejection, invalidOption, isPromised } from '@keelson/apimachinery';
import type { ObjectView } from './object-view.ts';

/** The identity and the metadata of an object, by which a part decides about it. */
export type PartObject = Pick<ObjectView, 'namespace' | 'name' | 'uid' | 'metadata'>;

/**
 * Selects a part of the objects of a watch, which changes while the watch runs: the shard of one replica. The watch drops
 * all other objects before it stores them.
 *
 * An object that leaves the part is not deleted, so its handlers receive no event. One that enters the part is `added`.
 * Call `followPart` of a handle after each change. A stored object of which a change leaves the part stays until then,
 * so that handlers receive this change as `updated`.
 */
export interface WatchPart {
  /** Identifies the part: only queries with a part of this name share a watch. One name means one part. */
  readonly name: string;
  /** A number that grows with each change after which the part may keep objects that it did not keep before. */
  readonly version: number;
  /** Called with each object that arrives. If it throws, the watch keeps the object. */
  keeps(object: PartObject): boolean;
  /**
   * Selects a shard of the objects (KEP-5866), read when each begins; `undefined` for none. It selects at least the objects that
   * the part keeps. A server without the feature ignores it. Default: none.
   */
  readonly shardSelector?: string | undefined;
  /**
   * Further requirements on labels, read when each request begins; `undefined` for none. An object that the part keeps
   * and that they do not select is not received. Default: none.
   */
  readonly labelSelector?: string | undefined;
  /**
   * The objects that the part has and did not have at an earlier version, so that the watch lists only these. Returns
   * `undefined` if it must list all objects. Default: it lists all.
   */
  growthSince?(version: number): PartDifference | undefined;
}

/** The objects that have entered a part. */
export interface PartDifference {
  /** Selects at least these objects. */
  readonly selection: PartSelection;
  /** True for an object that the part had at the earlier version and ever since. */
  readonly had: (object: PartObject) => boolean;
}

/** The members of a request that select a part. */
export interface PartSelection {
  /** Selects a shard of the objects. A source that does not support it may ignore it. */
  readonly shardSelector?: string;
  /** Selects objects by labels, beside the selector of the query. */
  readonly labelSelector?: string;
}

/** Returns what the next request of a watch with this part selects. */
export function selectionOf(part: WatchPart | undefined): PartSelection {
  const { shardSelector, labelSelector } = part ?? {};
  return {
    ...(shardSelector !== undefined && { shardSelector }),
    ...(labelSelector !== undefined && { labelSelector }),
  };
}

/** Throws `INVALID_OPTION` unless the value is a part. */
export function checkPart(part: WatchPart, where: string): void {
  checkMethods(part, ['keeps'], where);
  if (part.growthSince !== undefined) checkMethods(part, ['growthSince'], where);
  const { name, version, shardSelector, labelSelector } = part as {
    readonly [K in keyof WatchPart]: unknown;
  };
  if (typeof name !== 'string' || name === '')
    throw invalidOption(`${where}.name`, 'must be a name');
  if (typeof version !== 'number') throw invalidOption(`${where}.version`, 'must be a number');
  if (shardSelector !== undefined && typeof shardSelector !== 'string') {
    throw invalidOption(`${where}.shardSelector`, 'must be a shard selector');
  }
  if (labelSelector !== undefined && typeof labelSelector !== 'string') {
    throw invalidOption(`${where}.labelSelector`, 'must be a label selector');
  }
}

/** True if the part does not keep an object. `failed` receives the error of a part that throws. */
export function isOutside(
  part: WatchPart,
  object: PartObject,
  failed: (error: unknown) => void,
): boolean {
  try {
    return !part.keeps(object);
  } catch (error) {
    failed(error);
    return false;
  }
}

/**
 * The objects that a part has and did not have at an earlier version; `undefined` for all. `failed` receives the error of a
 * part that throws or returns a promise.
 */
export function growthOf(
  part: WatchPart,
  version: number,
  failed: (error: unknown) => void,
): PartDifference | undefined {
  try {
    const growth = part.growthSince?.(version);
    if (isPromised(growth)) {
      ignoreRejection(growth);
      throw new TypeError('growthSince returned a promise');
    }
    if (growth === undefined) return undefined;
    const { selection, had } = growth;
    return { selection, had: (object) => hadObject(had, object, failed) };
  } catch (error) {
    failed(error);
    return undefined;
  }
}

/** False if the function throws: the object is then listed again. */
function hadObject(
  had: PartDifference['had'],
  object: PartObject,
  failed: (error: unknown) => void,
): boolean {
  try {
    const known: unknown = had(object);
    ignoreRejection(known);
    return known === true;
  } catch (error) {
    failed(error);
    return false;
  }
}
