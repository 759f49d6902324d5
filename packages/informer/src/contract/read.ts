import {
  parseFieldSelector,
  parseLabelSelector,
  type FieldRequirements,
  type LabelRequirements,
  type ObjectName,
} from '@keelson/apimachinery';
import type { StoreListOptions } from './object-store.ts';
import type { Projection } from './watch-query.ts';

/** Which form of the objects a read of a cache returns. */
export interface ReadOptions {
  /**
   * `metadata`: the metadata alone are returned, and a watch of the metadata serves the read. Default `full`.
   */
  readonly projection?: Projection;
  /**
   * The name of a transform: what it returned is read. Without it no transformed object is read, except
   * inside a controller that watches the kind with a transform itself.
   */
  readonly transform?: string;
}

/** A read as far as it decides which stores can serve it. */
export interface Read {
  /** `undefined`: all namespaces. */
  readonly namespace: string | undefined;
  readonly labels: LabelRequirements;
  /** With the name and namespace that the read asks for. */
  readonly fields: FieldRequirements;
  readonly projection: Projection;
  readonly transform: string | undefined;
  /** The index that the read looks up. */
  readonly index: string | undefined;
  /** The selectors in the words of the reader, for an error. */
  readonly selectors: Pick<StoreListOptions, 'labelSelector' | 'fieldSelector'>;
}

export function readOfName({ namespace, name }: ObjectName, options: ReadOptions = {}): Read {
  const fields = [equal('metadata.name', name)];
  return readOf(namespace, { labels: [], fields, selectors: {}, index: undefined }, options);
}

export function readOfList(options: StoreListOptions & ReadOptions): Read {
  const { namespace, labelSelector, fieldSelector } = options;
  const labels = labelSelector ? parseLabelSelector(labelSelector) : [];
  const fields = fieldSelector ? parseFieldSelector(fieldSelector) : [];
  const selectors = {
    ...(labelSelector ? { labelSelector } : {}),
    ...(fieldSelector ? { fieldSelector } : {}),
  };
  const index = options.index?.name;
  return readOf(namespace, { labels, fields, selectors, index }, options);
}

function readOf(
  namespace: string | undefined,
  selection: Pick<Read, 'labels' | 'fields' | 'selectors' | 'index'>,
  { projection = 'full', transform }: ReadOptions,
): Read {
  if (!namespace) return { ...selection, namespace: undefined, projection, transform };
  const fields = [...selection.fields, equal('metadata.namespace', namespace)];
  return { ...selection, fields, namespace, projection, transform };
}

function equal(path: string, value: string): FieldRequirements[number] {
  return { path, operator: '=', value };
}
