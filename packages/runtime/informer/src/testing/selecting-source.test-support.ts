import {
  matchesFields,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
} from '@keelson/apimachinery';
import type { FrameBatch } from '@keelson/wire';
import type { ListerWatcher } from '../contract/lister-watcher.ts';
import { createInformerCache, type InformerCache } from '../cache/informer-cache.ts';
import { objectFrame, OpenWatch, Thing } from './scripted-source.test-support.ts';
import type { WatchHandle } from '../contract/watch-handle.ts';
import type { NormalQuery, WatchQuery } from '../contract/watch-query.ts';

/** True if a server sends the object to a watch of the query. */
export function selects(query: NormalQuery, object: Thing): boolean {
  const { namespace, labelSelector = '', fieldSelector = '' } = query;
  return (
    (namespace === undefined || object.metadata?.namespace === namespace) &&
    matchesLabels(parseLabelSelector(labelSelector), object.metadata?.labels) &&
    matchesFields(parseFieldSelector(fieldSelector), object)
  );
}

/**
 * A server with fixed objects, which only `send` changes. Each query receives the objects that its
 * selectors select.
 */
export class SelectingServer {
  readonly objects: Thing[];
  /** Queries whose initial state does not end. */
  isSilent: (query: NormalQuery) => boolean = () => false;
  readonly #open: { readonly query: NormalQuery; readonly watch: OpenWatch }[] = [];

  constructor(objects: Thing[]) {
    this.objects = objects;
  }

  readonly listerWatcher = (query: NormalQuery): ListerWatcher => ({
    list: () => {
      throw new Error('a WatchList is expected');
    },
    watch: ({ signal }) => this.#watch(query, signal),
  });

  /** Sends a change to the watches of some queries, before the watches of others receive it. */
  send(isTo: (query: NormalQuery) => boolean, type: 'MODIFIED' | 'DELETED', object: Thing): void {
    for (const { query, watch } of this.#open) {
      if (isTo(query)) watch.push([objectFrame(type, object)]);
    }
  }

  async *#watch(query: NormalQuery, signal: AbortSignal): AsyncGenerator<FrameBatch> {
    const watch = new OpenWatch(signal);
    this.#open.push({ query, watch });
    if (!this.isSilent(query)) {
      const found = this.objects.filter((object) => selects(query, object));
      const annotations = { 'k8s.io/initial-events-end': 'true' };
      const bookmark = { kind: 'Thing', metadata: { resourceVersion: '100', annotations } };
      watch.push([
        ...found.map((object) => objectFrame('ADDED', object)),
        objectFrame('BOOKMARK', bookmark),
      ]);
    }
    yield* watch.batches();
  }
}

/** Creates a Thing in one version. */
export function thingOf(
  namespace: string,
  name: string,
  {
    version = 1,
    labels = {},
    node = 'n1',
  }: { version?: number; labels?: object; node?: string } = {},
): Thing {
  const resourceVersion = String(version);
  const uid = `${namespace}-${name}`;
  return {
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    metadata: { namespace, name, uid, resourceVersion, labels: { ...labels } },
    spec: { node },
  };
}

export const holder = { owner: 'test' };
export const x = { app: 'x' };
export const y = { app: 'y' };

/** Creates the things `a` and `b` in one namespace and `c` in another. */
export function threeThings(): SelectingServer {
  return new SelectingServer([
    thingOf('default', 'a', { labels: x, version: 1 }),
    thingOf('default', 'b', { labels: y, version: 2 }),
    thingOf('other', 'c', { labels: x, version: 3, node: 'n2' }),
  ]);
}

export function cacheOf(server: SelectingServer): InformerCache {
  return createInformerCache({ listerWatcher: server.listerWatcher, linger: 60_000 });
}

/** Acquires a handle and waits for its sync. */
export async function acquired(
  from: Pick<InformerCache, 'acquire'>,
  query: Partial<WatchQuery<Thing>> = {},
): Promise<WatchHandle<Thing>> {
  const handle = from.acquire({ resource: Thing, ...query }, holder);
  await handle.synced;
  return handle;
}

export function names(
  objects: readonly { readonly metadata?: { readonly name?: string } }[],
): string[] {
  return objects.map(({ metadata }) => metadata?.name ?? '').toSorted();
}
