import type { ObjectMeta } from '@keelson/apimachinery';
import type { StorageHistory, StoredKind } from '../resources/stored-kind.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import { ApiServerError } from '../status-errors/api-server-error.ts';
import type { Storage } from '../storage/storage.ts';
import { invalidSnapshot } from './invalid-snapshot.ts';
import { kindKey, type SavedKind, type SavedLine, type ParsedSnapshot } from './parse-snapshot.ts';

/** The parts of a new server that a snapshot is restored into. */
export interface RestoredServer {
  readonly storage: Storage;
  /** Returns the kinds that can be stored at present. */
  kinds(): Iterable<StoredKind>;
  /** Returns a served kind in any version. */
  served(apiVersion: string, kind: string): ServedResource | undefined;
  /** Serves a restored definition, if it exists. */
  serveDefinition(name: string, historyOf: HistoryOf): void;
}

/** Returns the history of a custom resource; `undefined` if nothing has changed. */
export type HistoryOf = (group: string, kind: string) => StorageHistory | undefined;

const definitions = kindKey('apiextensions.k8s.io/v1', 'CustomResourceDefinition');

/**
 * Puts the objects and the log of a snapshot into a server that has no objects. Definitions come first, since their kinds are
 * served only then. Controllers learn of the objects when all are there, so that none is deleted for the lack of an owner.
 *
 * Throws `SNAPSHOT_INVALID` and `SNAPSHOT_KIND_UNKNOWN`.
 */
export function restoreSnapshot(snapshot: ParsedSnapshot, server: RestoredServer): void {
  const { storage } = server;
  storage.restart(snapshot.revision);
  for (const { store } of server.kinds()) store.log.restart(snapshot.revision);
  const saved = new Map(snapshot.kinds);
  const first = saved.get(definitions);
  saved.delete(definitions);
  if (first !== undefined) restoreDefinitions(first, server, snapshot);
  for (const kind of saved.values()) restoreKind(kind, server, snapshot);
  storage.announce();
}

function restoreDefinitions(
  saved: SavedKind,
  server: RestoredServer,
  snapshot: ParsedSnapshot,
): void {
  restoreKind(saved, server, snapshot);
  const historyOf = historiesIn(snapshot);
  const lines = new Map(saved.lines.map((line) => [line.read().metadata.name, line.number]));
  for (const [name = '', number] of lines) {
    try {
      server.serveDefinition(name, historyOf);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw invalidSnapshot(number, reason, error);
    }
  }
}

function historiesIn({ kinds }: ParsedSnapshot): HistoryOf {
  const histories = new Map<string, StorageHistory>();
  for (const { apiVersion, kind, history } of kinds.values()) {
    const group = apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')));
    if (history !== undefined) histories.set(kindKey(group, kind), history);
  }
  return (group, kind) => histories.get(kindKey(group, kind));
}

function restoreKind(saved: SavedKind, server: RestoredServer, snapshot: ParsedSnapshot): void {
  const { apiVersion, kind, lines } = saved;
  const stored = Array.from(server.kinds()).find(
    (each) => each.apiVersion === apiVersion && each.kind === kind,
  );
  if (stored !== undefined) return restoreLines(saved, stored, snapshot);
  const [line] = lines;
  if (line === undefined) return undefined;
  const served = server.served(apiVersion, kind);
  if (served === undefined) {
    throw new ApiServerError('SNAPSHOT_KIND_UNKNOWN', { apiVersion, kind, line: line.number });
  }
  const target = { namespaced: served.facts.namespaced, store: served.store };
  const converted = lines.map((each) => inStoredVersion(each, served));
  return restoreLines({ ...saved, lines: converted }, target, snapshot);
}

/** Converts an object of a served version that is not the stored one. A webhook cannot be called before the server listens. */
function inStoredVersion(line: SavedLine, served: ServedResource): SavedLine {
  const readObject: SavedLine['readObject'] = () => {
    const state = line.readObject();
    const content = served.toStored(state.content);
    if (!(content instanceof Promise)) return { ...state, content };
    content.catch(() => {});
    throw invalidSnapshot(line.number, 'the object is not in its storage version');
  };
  return { ...line, read: readObject, readObject };
}

function restoreLines(
  { compacted, lines }: SavedKind,
  { store, namespaced }: Pick<StoredKind, 'store' | 'namespaced'>,
  snapshot: ParsedSnapshot,
): void {
  const oldest = compacted ?? snapshot.revision;
  if (compacted !== undefined) store.log.restart(compacted);
  let newest = oldest;
  for (const line of lines) {
    const state = line.read();
    checkNamespace(line, state.metadata, namespaced);
    const isEvent = line.type !== undefined;
    if (isEvent ? state.revision <= newest : state.revision > oldest) {
      throw invalidSnapshot(line.number, 'the resourceVersion is out of order');
    }
    if (isEvent) newest = state.revision;
    if (newest > snapshot.revision) {
      throw invalidSnapshot(line.number, 'the resourceVersion is newer than the snapshot');
    }
    const isNext = line.type === undefined ? store.load(state) : store.replay(line.type, state);
    if (!isNext) throw invalidSnapshot(line.number, 'the object contradicts an earlier line');
  }
}

function checkNamespace({ number }: SavedLine, metadata: ObjectMeta, namespaced: boolean): void {
  if ((metadata.namespace !== undefined) === namespaced) return;
  const reason = namespaced ? 'metadata.namespace is missing' : 'metadata.namespace is not allowed';
  throw invalidSnapshot(number, reason);
}
