import {
  matchesFields,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
  printFieldSelector,
} from '@keelson/apimachinery';
import type { ObjectView } from '../contract/object-view.ts';
import type { StoreListOptions } from '../contract/object-store.ts';
import { ifReadable } from './stored-object.ts';

/** Decides whether a list selects an object. */
export type Condition = (view: ObjectView) => boolean;

/**
 * Builds the conditions of a list that no lookup decides; `undefined` if there are no such
 * conditions. `watched` is the field selector of the watch. All objects match it, and only the
 * server knows how it evaluates those fields.
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

/** Without an index, a lookup decides the namespace. */
function inNamespace({ namespace, index }: StoreListOptions): Condition | undefined {
  if (!namespace || index === undefined) return undefined;
  return (view) => view.namespace === namespace;
}

function byLabels({ labelSelector }: StoreListOptions): Condition | undefined {
  if (labelSelector === undefined || labelSelector === '') return undefined;
  const requirements = parseLabelSelector(labelSelector);
  return (view) => matchesLabels(requirements, view.metadata.labels);
}

/** Only fields outside the metadata make the condition parse the body. */
function byFields({ fieldSelector }: StoreListOptions, watched = ''): Condition | undefined {
  if (fieldSelector === undefined || fieldSelector === '') return undefined;
  const known = new Set(parseFieldSelector(watched).map((one) => printFieldSelector([one])));
  const requirements = parseFieldSelector(fieldSelector).filter(
    (one) => !known.has(printFieldSelector([one])),
  );
  if (requirements.length === 0) return undefined;
  const inHead = requirements.every(({ path }) => path.startsWith('metadata.'));
  return (view) => matchesFields(requirements, inHead ? { metadata: view.metadata } : view.value());
}
