import type { ObjectView } from '../contract/object-view.ts';
import type { NormalQuery } from '../contract/watch-query.ts';
import { selection } from '../store/selection.ts';
import type { StoredObject } from '../store/stored-object.ts';
import { MetadataView } from './metadata-view.ts';

/** An object and whether a query selects it. */
interface Decision {
  readonly object: StoredObject;
  readonly isSelected: boolean;
}

/**
 * Shows the objects of a watch to the handles of a narrower query: only objects that the query
 * selects, in its projection.
 */
export class Lens {
  /** The namespace of the query if the watch has a wider one. */
  readonly namespace: string | undefined;
  readonly #isMetadata: boolean;
  readonly #condition: ((object: StoredObject) => boolean) | undefined;
  /** The last decision. All handlers of a query receive the same change in a row, so it is decided once. */
  #last: Decision | undefined;
  #secondLast: Decision | undefined;

  constructor(query: NormalQuery, watched: NormalQuery) {
    const { labelSelector, fieldSelector } = query;
    this.namespace = query.namespace === watched.namespace ? undefined : query.namespace;
    this.#isMetadata = query.projection !== watched.projection;
    // An equal selector is not evaluated again: the server has done so, and a transform may have removed the labels.
    const labels =
      labelSelector === undefined || labelSelector === watched.labelSelector
        ? {}
        : { labelSelector };
    const fields = fieldSelector === undefined ? {} : { fieldSelector };
    this.#condition = selection({ ...labels, ...fields }, watched.fieldSelector);
  }

  /** True if the namespace alone decides which objects the query selects. */
  get isNamespaceOnly(): boolean {
    return this.#condition === undefined;
  }

  selects(object: StoredObject): boolean {
    if (this.#last?.object === object) return this.#last.isSelected;
    if (this.#secondLast?.object === object) return this.#secondLast.isSelected;
    this.#secondLast = this.#last;
    this.#last = { object, isSelected: this.#decide(object) };
    return this.#last.isSelected;
  }

  /** Returns the object in the projection of the query. */
  show(object: StoredObject): ObjectView {
    return this.#isMetadata ? new MetadataView(object) : object;
  }

  #decide(object: StoredObject): boolean {
    if (this.namespace !== undefined && object.namespace !== this.namespace) return false;
    return this.#condition?.(object) !== false;
  }
}

/** Returns the lens of a query on a watch; `undefined` if the query is that of the watch. */
export function lensOf(query: NormalQuery, watched: NormalQuery): Lens | undefined {
  const isSame =
    query.namespace === watched.namespace &&
    query.labelSelector === watched.labelSelector &&
    query.fieldSelector === watched.fieldSelector &&
    query.projection === watched.projection;
  return isSame ? undefined : new Lens(query, watched);
}
