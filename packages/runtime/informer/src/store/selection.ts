import {
  matchesFields,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
  printFieldSelector,
  type DeepReadonly,
  type FieldRequirements,
  type Persisted,
  type TimeSlice,
} from '@keelson/apimachinery';
import type { ObjectView } from '../contract/object-view.ts';
import type { AsyncListOptions, StoreListOptions } from '../contract/object-store.ts';
import { ifReadable, type StoredObject } from './stored-object.ts';

/** Decides whether a list selects an object. */
export type Condition = (view: ObjectView) => boolean;

/** The objects that a list scans, and the condition that selects among them. */
export interface Selection {
  readonly candidates: Iterable<StoredObject>;
  /** Decides which candidates are selected; `undefined` selects all of them. */
  readonly condition: Condition | undefined;
}

/** Parses the objects that are selected at the time of the call, in slices of 5 ms. */
export async function readSelection(
  { candidates, condition }: Selection,
  slice: TimeSlice,
  { limit, signal }: AsyncListOptions,
  show: (object: StoredObject) => ObjectView = (object) => object,
): Promise<DeepReadonly<Persisted>[]> {
  const found: DeepReadonly<Persisted>[] = [];
  const take = (object: StoredObject): void => {
    if (condition?.(object) === false) return;
    ifReadable(() => void found.push(show(object).value()), undefined);
  };
  // The candidates are copied and stay readable, because the store may change between two slices.
  const copied = Array.from(candidates, (object) => object.shown());
  await slice.each(untilFull(copied, found, limit), take, signal);
  return found;
}

/** Yields the objects until as many results as the limit have been found. */
export function* untilFull(
  objects: Iterable<StoredObject>,
  found: readonly unknown[],
  limit: number = Infinity,
): Generator<StoredObject> {
  for (const object of objects) {
    if (found.length >= limit) return;
    yield object;
  }
}

/**
 * Returns the forms of the selected objects, as many as the limit. An object without a form, whose bytes do not parse,
 * does not count.
 */
export function formsOf<Form>(
  { candidates, condition }: Selection,
  formOf: (object: StoredObject) => Form | undefined,
  limit?: number,
): Form[] {
  const found: Form[] = [];
  for (const object of untilFull(candidates, found, limit)) {
    const form = condition?.(object) === false ? undefined : formOf(object);
    if (form !== undefined) found.push(form);
  }
  return found;
}

/**
 * Builds the conditions of a list; `undefined` without conditions. `watched` is the field selector of
 * the watch. All objects match it, and only the server knows how it evaluates those fields.
 */
export function selection(options: StoreListOptions, watched?: string): Condition | undefined {
  const conditions = [inNamespace(options), byLabels(options), byFields(options, watched)].filter(
    (condition) => condition !== undefined,
  );
  if (conditions.length === 0) return undefined;
  const isSelected = (view: ObjectView): boolean =>
    conditions.every((condition) => condition(view));
  return (view) => ifReadable(() => isSelected(view), false);
}

function inNamespace({ namespace }: StoreListOptions): Condition | undefined {
  if (!namespace) return undefined;
  return (view) => view.namespace === namespace;
}

function byLabels({ labelSelector }: StoreListOptions): Condition | undefined {
  if (labelSelector === undefined || labelSelector === '') return undefined;
  const requirements = parseLabelSelector(labelSelector);
  return (view) => matchesLabels(requirements, view.metadata.labels);
}

/** Returns the condition of a field selector. It parses the body only for fields outside the metadata. */
function byFields({ fieldSelector }: StoreListOptions, watched?: string): Condition | undefined {
  if (fieldSelector === undefined || fieldSelector === '') return undefined;
  const requirements = unwatchedFields(fieldSelector, watched);
  if (requirements.length === 0) return undefined;
  const inHead = requirements.every(({ path }) => path.startsWith('metadata.'));
  return (view) => matchesFields(requirements, inHead ? { metadata: view.metadata } : view.value());
}

/** Returns the requirements of a field selector that the watch does not have. */
export function unwatchedFields(fieldSelector: string, watched = ''): FieldRequirements {
  const known = new Set(parseFieldSelector(watched).map((one) => printFieldSelector([one])));
  return parseFieldSelector(fieldSelector).filter((one) => !known.has(printFieldSelector([one])));
}
