import {
  hasCode,
  type ApiResource,
  type DeepReadonly,
  type ObjectName,
  type Persisted,
} from '@keelson/apimachinery';
import { defineIndex, type CacheReader, type Projection } from '@keelson/informer';
import { Thing, type Item } from '../server/kind.ts';
import { ownerOf, stampOf } from '../server/object-state.ts';
import { appOf, byApp } from './queries.ts';

/** A read of a cache: a list, with a name one object, with `index` a lookup, and with `owner` the children. */
export interface SimulatedRead {
  readonly resource: ApiResource<Item>;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly name?: string;
  readonly projection?: Projection;
  readonly transform?: string;
  /** How the index of the label `app` is read. */
  readonly index?: 'list' | 'by' | 'namesBy' | 'indexValues';
  /** The value to look up. */
  readonly app?: string;
  /** The name of the Thing whose children are read. */
  readonly owner?: string;
  /** False to leave out own writes. */
  readonly overlay?: false;
}

/** The parts of a found object that the text of a read contains. */
export type FoundObject = DeepReadonly<Pick<Persisted<Item>, 'metadata' | 'spec'>>;

const appIndex = defineIndex(Thing, byApp.name, { head: appOf });

const CODES = ['NOT_WATCHED', 'NOT_SYNCED', 'INDEX_UNKNOWN', 'OBJECT_MALFORMED'] as const;

/** Reads, and returns the result as text: the objects with the numbers of their changes, or the code of the error. */
export function readText(reader: CacheReader, read: SimulatedRead): string {
  try {
    if (read.index === 'indexValues') {
      return reader.indexValues(appIndex, optionsOf(read)).toSorted().join(', ');
    }
    if (read.index === 'namesBy') {
      return namesText(reader.namesBy(appIndex, read.app ?? '', optionsOf(read)));
    }
    return textOf(readObjects(reader, read), read);
  } catch (error) {
    for (const code of CODES) if (hasCode(error, code)) return code;
    throw error;
  }
}

/** Reads the objects of a list, a lookup or a name. Throws the errors of the reader. */
export function readObjects(reader: CacheReader, read: SimulatedRead): readonly FoundObject[] {
  const { resource, namespace, name, index, app = '', owner } = read;
  const options = optionsOf(read);
  if (owner !== undefined) {
    const { uid, kind, apiVersion } = ownerOf(owner);
    return reader.owned(resource, { kind, apiVersion, metadata: { name: owner, uid } }, options);
  }
  if (index === 'by') return reader.by(appIndex, app, options);
  if (name !== undefined && namespace !== undefined) {
    const { namespace: _, ...form } = options;
    const found = reader.get(resource, { namespace, name }, form);
    return found === undefined ? [] : [found];
  }
  const lookup = index === undefined ? {} : { index: { name: byApp.name, value: app } };
  return reader.list(resource, { ...options, ...lookup });
}

interface Options {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly projection?: 'full';
  readonly transform?: string;
  readonly overlay?: false;
}

function optionsOf(read: SimulatedRead): Options {
  const { namespace, labelSelector, projection, transform, overlay } = read;
  const given = Object.entries({ namespace, labelSelector, projection, transform, overlay });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined)) as Options;
}

/** Returns objects as the text of a read that has them. */
export function textOf(objects: readonly FoundObject[], read: SimulatedRead): string {
  if (read.index === 'namesBy') return namesText(objects.map(({ metadata }) => metadata));
  if (read.index === 'indexValues') {
    const values = objects.map(({ metadata }) => metadata.labels?.['app']);
    return [...new Set(values.filter((value) => value !== undefined))].toSorted().join(', ');
  }
  const isFull = read.projection !== 'metadata';
  return objects
    .map(({ metadata, spec }) => {
      const content = isFull ? ` with ${spec?.value} of ${spec?.target}` : '';
      return `${metadata.namespace}/${metadata.name} ${stampOf({ metadata })}${content}`;
    })
    .toSorted()
    .join(', ');
}

function namesText(
  names: readonly (Pick<ObjectName, 'name'> & { readonly namespace?: string | undefined })[],
): string {
  return names
    .map(({ namespace, name }) => `${namespace}/${name}`)
    .toSorted()
    .join(', ');
}
