import { parseLabelSelector } from '@keelson/apimachinery';
import { evaluatesSelector } from '../contract/indexer.ts';
import type { StoreListOptions } from '../contract/object-store.ts';
import type { ObjectIndex } from './object-index.ts';
import { unwatchedFields } from './selection.ts';
import type { StoredObject } from './stored-object.ts';

/** The lookup of one requirement of a selector in an index. */
interface SelectorLookup {
  readonly index: ObjectIndex;
  readonly values: readonly string[];
  /** An upper bound of the number of objects that the lookup finds. */
  readonly count: number;
}

/** A store and its indexes. */
interface IndexedStore {
  /** The number of objects that a list without an index scans. */
  readonly scanned: number;
  /** The field selector of the watch. */
  readonly watched: string | undefined;
  indexOf(name: string): ObjectIndex | undefined;
}

/**
 * Returns the objects that match one requirement of the selectors, found by the index with the fewest of them;
 * `undefined` if a scan reads no more objects.
 */
export function lookUpSelectors(
  options: StoreListOptions,
  store: IndexedStore,
): Iterable<StoredObject> | undefined {
  let best: SelectorLookup | undefined;
  for (const { name, values } of equalities(options, store.watched)) {
    const index = store.indexOf(name);
    if (index?.indexer[evaluatesSelector] !== true) continue;
    const count = values.reduce((sum, value) => sum + index.count(value), 0);
    if (count < (best?.count ?? store.scanned)) best = { index, values, count };
  }
  return best === undefined ? undefined : objectsOf(best);
}

/**
 * Returns the objects under the values. No object is under two of them, because an object has one value of a label or
 * field.
 */
function objectsOf({ index, values }: SelectorLookup): Iterable<StoredObject> {
  const [only = ''] = values;
  return values.length === 1 ? index.get(only) : values.flatMap((value) => [...index.get(value)]);
}

/** Yields the requirements that an index can evaluate: those that name every possible value. */
function* equalities(
  { labelSelector = '', fieldSelector = '' }: StoreListOptions,
  watched: string | undefined,
): Generator<{ readonly name: string; readonly values: readonly string[] }> {
  for (const { key, operator, values } of parseLabelSelector(labelSelector)) {
    if (operator === 'in') yield { name: `label:${key}`, values };
  }
  for (const { path, operator, value } of unwatchedFields(fieldSelector, watched)) {
    if (operator === '=') yield { name: `field:${path}`, values: [value] };
  }
}
