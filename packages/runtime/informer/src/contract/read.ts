import {
  parseFieldSelector,
  parseLabelSelector,
  type FieldRequirements,
  type LabelRequirements,
  type ObjectName,
} from '@keelson/apimachinery';
import type { StoreListOptions, StoreReadOptions } from './object-store.ts';
import { placeOf, type Place } from './place.ts';
import type { Projection } from './watch-query.ts';

/** Selects the form of the objects that a read of a cache returns. */
export interface ReadOptions extends StoreReadOptions {
  /**
   * `metadata` returns the metadata alone, so a watch of the metadata can serve the read. Default
   * `full`.
   */
  readonly projection?: Projection;
  /**
   * The name of the transform whose results the read returns. Default: reads return no transformed
   * objects, except inside a controller that itself watches the kind with a transform.
   */
  readonly transform?: string;
}

/** The parts of a read that decide which stores can serve it. */
export interface Read {
  /** The namespace of the read; `undefined` for all namespaces. */
  readonly namespace: string | undefined;
  /** The namespace and the name of the read, also if only its field selector names them. */
  readonly place: Place;
  readonly labels: LabelRequirements;
  /** The field selector; the namespace and the name of the read are two more requirements. */
  readonly fields: FieldRequirements;
  readonly projection: Projection;
  readonly transform: string | undefined;
  /** False if the read ignores own writes. */
  readonly overlay: boolean;
  /** The name of the index that the read uses. */
  readonly index: string | undefined;
  /** The name of that index if a watch must declare it: not for the index of owners, without which the store is scanned. */
  readonly declaredIndex: string | undefined;
  /** The selectors as the caller wrote them, for errors. */
  readonly selectors: Pick<StoreListOptions, 'labelSelector' | 'fieldSelector'>;
}

/** Returns the read of one object by its name. */
export function readOfName({ namespace, name }: ObjectName, options: ReadOptions = {}): Read {
  const fields = [equal('metadata.name', name)];
  const noIndex = { index: undefined, declaredIndex: undefined };
  return readOf(namespace, { labels: [], fields, selectors: {}, ...noIndex }, options);
}

/** The index of a list. Without `scans` a watch must declare it. */
interface ReadIndex {
  readonly index?: { readonly scans?: boolean } | undefined;
}

/** Returns the read of a list, with its selectors parsed. */
export function readOfList(options: StoreListOptions & ReadOptions & ReadIndex): Read {
  const { namespace, labelSelector, fieldSelector } = options;
  const labels = labelSelector ? parseLabelSelector(labelSelector) : [];
  const fields = fieldSelector ? parseFieldSelector(fieldSelector) : [];
  const selectors = {
    ...(labelSelector ? { labelSelector } : {}),
    ...(fieldSelector ? { fieldSelector } : {}),
  };
  const index = options.index?.name;
  const declaredIndex = options.index?.scans === true ? undefined : index;
  return readOf(namespace, { labels, fields, selectors, index, declaredIndex }, options);
}

function readOf(
  namespace: string | undefined,
  selection: Pick<Read, 'labels' | 'fields' | 'selectors' | 'index' | 'declaredIndex'>,
  { projection = 'full', transform, overlay = true }: ReadOptions,
): Read {
  const fields = namespace
    ? [...selection.fields, equal('metadata.namespace', namespace)]
    : selection.fields;
  return {
    ...selection,
    fields,
    place: placeOf(fields),
    namespace: namespace || undefined,
    projection,
    transform,
    overlay,
  };
}

function equal(path: string, value: string): FieldRequirements[number] {
  return { path, operator: '=', value };
}
