import { normalFieldSelector, normalLabelSelector, resourceId } from '@keelson/apimachinery';
import type { ClusterChoice, OwnsOptions, SourceOptions } from './source-options.ts';

/**
 * Returns the options of a checked source, without functions and `namespaces`, as a text. Sources with equal texts
 * differ in nothing else.
 */
export function sourceText(options: SourceOptions & ClusterChoice & Partial<OwnsOptions>): string {
  const { labelSelector = '', fieldSelector = '' } = options;
  return JSON.stringify([
    options.cluster,
    resourceId(options.resource),
    options.namespace ?? '',
    normalLabelSelector(labelSelector),
    normalFieldSelector(fieldSelector),
    options.projection ?? 'full',
    options.transform?.name,
    options.indexers?.map(({ name }) => name),
    options.retain,
    options.pageSize,
    options.resync,
    options.ignoreOwn === true,
    options.sharing ?? 'views',
    options.priority,
    options.priorities,
    options.debounce,
    options.eventRate,
    options.required ?? false,
    options.owners,
  ]);
}

/** Returns the name of a watch for logs and results: its source, its namespace and its selectors. */
export function watchLabel({
  name,
  options,
}: {
  readonly name: string;
  readonly options: SourceOptions;
}): string {
  const { namespace, labelSelector, fieldSelector } = options;
  const selectors = [labelSelector, fieldSelector].filter((selector) => selector);
  return [
    name,
    ...(namespace ? [`in ${namespace}`] : []),
    ...(selectors.length > 0 ? [`(${selectors.join('; ')})`] : []),
  ].join(' ');
}
