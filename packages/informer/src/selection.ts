import {
  matchesFields,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
} from '@keelson/apimachinery';
import type { ObjectView } from './object-view.ts';
import type { StoreListOptions } from './object-store.ts';

type Condition = (view: ObjectView) => boolean;

/** The conditions of a list that no lookup answers; `undefined` where there are none. */
export function selection(options: StoreListOptions): Condition | undefined {
  const conditions = [inNamespace(options), byLabels(options), byFields(options)].filter(
    (condition) => condition !== undefined,
  );
  if (conditions.length === 0) return undefined;
  return (view) => conditions.every((condition) => condition(view));
}

/** Without an index the namespace is a lookup. */
function inNamespace({ namespace, index }: StoreListOptions): Condition | undefined {
  if (namespace === undefined || index === undefined) return undefined;
  return (view) => view.namespace === namespace;
}

function byLabels({ labelSelector }: StoreListOptions): Condition | undefined {
  if (labelSelector === undefined || labelSelector === '') return undefined;
  const requirements = parseLabelSelector(labelSelector);
  return (view) => matchesLabels(requirements, view.metadata.labels);
}

/** Only fields outside the metadata cost a parse of the body. */
function byFields({ fieldSelector }: StoreListOptions): Condition | undefined {
  if (fieldSelector === undefined || fieldSelector === '') return undefined;
  const requirements = parseFieldSelector(fieldSelector);
  const inHead = requirements.every(({ path }) => path.startsWith('metadata.'));
  return (view) => matchesFields(requirements, inHead ? { metadata: view.metadata } : view.value());
}
