import { hasCode, type ApiResource } from '@keelson/apimachinery';
import type { CacheReader, Projection } from '@keelson/informer';
import type { Item } from '../server/kind.ts';
import { ObjectState, stampOf } from '../server/object-state.ts';
import { selects, type Selection } from '../server/object-selection.ts';
import type { HeldHandle } from './held-handle.ts';
import { byApp } from './queries.ts';

/** A read of a cache: a list, or with a name one object. */
export interface SimulatedRead {
  readonly resource: ApiResource<Item>;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly name?: string;
  readonly projection?: Projection;
  /** The value to look up in the index of the label `app`. */
  readonly app?: string;
}

/** The handles that serve reads together, or one at a time. */
export type ReadRule = 'union' | 'covering';

/** Reads, and returns the result as text: the objects with the numbers of their changes, or the code of the error. */
export function readText(reader: CacheReader, read: SimulatedRead): string {
  const { resource, namespace, name, labelSelector, projection, app } = read;
  const form = projection === 'metadata' ? { projection } : undefined;
  try {
    if (name !== undefined && namespace !== undefined) {
      const found = reader.get(resource, { namespace, name }, form as undefined);
      return textOf(found === undefined ? [] : [found]);
    }
    const options = {
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(app === undefined ? {} : { index: { name: byApp.name, value: app } }),
      ...form,
    };
    return textOf(reader.list(resource, { namespace, ...options } as object));
  } catch (error) {
    for (const code of ['NOT_WATCHED', 'NOT_SYNCED', 'INDEX_UNKNOWN', 'OBJECT_MALFORMED']) {
      if (hasCode(error, code)) return code;
    }
    throw error;
  }
}

/** Returns the results that a read may have, for the handles of its reader. */
export function expectedTexts(
  handles: readonly HeldHandle[],
  read: SimulatedRead,
  rule: ReadRule,
): readonly string[] {
  const ofKind = handles.filter(({ query }) => query.resource === read.resource);
  const able = ofKind.filter((held) => isWideEnough(held, read) && serves(held, read, rule));
  if (able.length === 0) return ['NOT_WATCHED'];
  const synced = able.filter(({ handle }) => handle.hasSynced);
  if (synced.length === 0) return ['NOT_SYNCED'];
  // Without an index of its own handles, a reader may still find that of another handle of a watch.
  const hasIndex =
    read.app === undefined || synced.some(({ given }) => given.indexers?.includes(byApp));
  const unknown = hasIndex ? [] : ['INDEX_UNKNOWN'];
  if (rule === 'covering') return [...unknown, ...synced.map((held) => contentOf([held], read))];
  const content = contentOf(synced, read);
  return [...unknown, content === '' && isHidden(ofKind, able, read) ? 'NOT_WATCHED' : content];
}

function isWideEnough({ query }: HeldHandle, { projection = 'full' }: SimulatedRead): boolean {
  return query.projection === 'full' || projection === 'metadata';
}

/** All handles of a namespace and name serve a union; else a handle must have every object of the read. */
function serves({ query }: HeldHandle, read: SimulatedRead, rule: ReadRule): boolean {
  const { namespace, fieldSelector } = query;
  // A watch that serves a lookup has every object that a list without the index returns.
  const { app: _app, ...list } = read;
  const wanted = universe.filter((state) => isWanted(list, state));
  if (rule === 'covering') return wanted.every((state) => selects(query, state));
  const place: Selection = { namespace, fieldSelector, labelSelector: undefined };
  return wanted.some((state) => selects(place, state));
}

/** The object exists, and only handles of the metadata select it. */
function isHidden(
  handles: readonly HeldHandle[],
  able: readonly HeldHandle[],
  { namespace, name, projection = 'full' }: SimulatedRead,
): boolean {
  if (projection === 'metadata' || namespace === undefined || name === undefined) return false;
  return handles.some((held) => {
    const state = held.stateOf({ namespace, name });
    if (state === undefined) return false;
    return !able.some((other) => selects(labelsOf(other), state));
  });
}

function labelsOf({ query: { labelSelector } }: HeldHandle): Selection {
  return { namespace: undefined, fieldSelector: undefined, labelSelector };
}

/** Returns the objects of the handles that the read selects. Of several versions the newest counts. */
function contentOf(handles: readonly HeldHandle[], read: SimulatedRead): string {
  const newest = new Map<string, ObjectState>();
  for (const held of handles) {
    for (const state of held.states()) {
      const known = newest.get(state.key);
      if (known === undefined || known.identity.version < state.identity.version) {
        newest.set(state.key, state);
      }
    }
  }
  const found = [...newest.values()].filter((state) => isWanted(read, state));
  return textOf(found.map(({ object }) => object));
}

function isWanted(read: SimulatedRead, state: ObjectState): boolean {
  const { namespace, name, labelSelector, app } = read;
  if (app !== undefined && state.content.labels['app'] !== app) return false;
  const selection: Selection = { namespace, labelSelector, fieldSelector: undefined };
  return selects(selection, state) && (name === undefined || state.identity.name === name);
}

type ReadObject = Parameters<typeof stampOf>[0] & {
  readonly metadata: { readonly namespace?: string; readonly name: string };
};

function textOf(objects: readonly ReadObject[]): string {
  return objects
    .map((object) => `${object.metadata.namespace}/${object.metadata.name} ${stampOf(object)}`)
    .toSorted()
    .join(', ');
}

/** One object of each place and labels that selectors can tell apart, and others that no object has. */
const universe: readonly ObjectState[] = ['n1', 'n2', 'n3'].flatMap((namespace) =>
  ['a', 'b', 'c', 'd'].flatMap((name) =>
    [{}, { app: 'x' }, { app: 'y' }, { app: 'z' }, { app: 'w' }].map((labels) => {
      const resource = { group: '', version: '', kind: '' } as unknown as ApiResource<Item>;
      const identity = { resource, namespace, name, uid: '', version: 0, stamp: 0 };
      return new ObjectState(identity, { labels, value: 0 });
    }),
  ),
);
