import type { ApiResource } from '@keelson/apimachinery';
import { ObjectState } from '../server/object-state.ts';
import type { Item } from '../server/kind.ts';
import { selects, type Selection } from '../server/object-selection.ts';
import type { HeldHandle } from './held-handle.ts';
import { byApp, transformed } from './queries.ts';
import { textOf, type FoundObject, type SimulatedRead } from './simulated-read.ts';

/** The handles that serve reads together, or one at a time. */
export type ReadRule = 'union' | 'covering';

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
    read.index === undefined || synced.some(({ given }) => given.indexers?.includes(byApp));
  const unknown = hasIndex ? [] : ['INDEX_UNKNOWN'];
  if (rule === 'covering') return [...unknown, ...synced.map((held) => contentOf([held], read))];
  const content = contentOf(synced, read);
  return [...unknown, content === '' && isHidden(ofKind, able, read) ? 'NOT_WATCHED' : content];
}

function isWideEnough({ query }: HeldHandle, { projection, index }: SimulatedRead): boolean {
  // These reads return no objects.
  const isOfNames = index === 'namesBy' || index === 'indexValues';
  return query.projection === 'full' || projection === 'metadata' || isOfNames;
}

/** All handles of a namespace and name serve a union; else a handle must have every object of the read. */
function serves({ query, given }: HeldHandle, read: SimulatedRead, rule: ReadRule): boolean {
  const { namespace, fieldSelector } = query;
  const isSameForm = given.transform?.name === read.transform;
  // A watch that serves a lookup has every object that a list without the index returns.
  const { app: _app, owner: _owner, ...list } = read;
  const wanted = universe.filter((state) => isWanted(list, state));
  if (rule === 'covering') return isSameForm && wanted.every((state) => selects(query, state));
  const place: Selection = { namespace, fieldSelector, labelSelector: undefined };
  const isAccepted = isSameForm || read.transform === undefined;
  return isAccepted && wanted.some((state) => selects(place, state));
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

/**
 * Returns the objects of the handles that the read selects. Of several versions the newest counts, and a transformed
 * object only if no handle without a transform has the object.
 */
function contentOf(handles: readonly HeldHandle[], read: SimulatedRead): string {
  const found = new Map<string, { state: ObjectState; hasTransform: boolean }>();
  const sorted = handles.toSorted((a, b) => Number(isTransformed(a)) - Number(isTransformed(b)));
  for (const held of sorted) {
    for (const state of held.states()) {
      const known = found.get(state.key);
      const isNewer =
        known === undefined ||
        (known.hasTransform === isTransformed(held) &&
          known.state.identity.version < state.identity.version);
      if (isNewer) found.set(state.key, { state, hasTransform: isTransformed(held) });
    }
  }
  const wanted = [...found.values()].filter(({ state }) => isWanted(read, state));
  return textOf(wanted.map(foundObject), read);
}

function isTransformed({ given }: HeldHandle): boolean {
  return given.transform !== undefined;
}

function foundObject({
  state: { object },
  hasTransform,
}: {
  state: ObjectState;
  hasTransform: boolean;
}): FoundObject {
  return hasTransform ? transformed(object) : object;
}

function isWanted(read: SimulatedRead, state: ObjectState): boolean {
  const { namespace, name, labelSelector, app, owner } = read;
  if (app !== undefined && state.content.labels['app'] !== app) return false;
  if (owner !== undefined && state.content.target !== owner) return false;
  const selection: Selection = { namespace, labelSelector, fieldSelector: undefined };
  return selects(selection, state) && (name === undefined || state.identity.name === name);
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
