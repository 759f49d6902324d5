import type { Clock } from '@keelson/apimachinery';
import type { WatchEventRow, WatchMessage, WatchPage } from '@keelson/inspector';
import type { InformerEvent, WatchInventory } from '@keelson/informer';
import { EventChannel } from './event-channel.ts';
import type { InspectedCluster } from './inspected-manager.ts';
import { queryText, watchIdOf } from './query-text.ts';

/** The most events of a message, which the reader receives once a second. */
const MAX_EVENTS = 200;
const INTERVAL_MS = 1000;
/** The most other watches of a handle. */
const MAX_OTHERS = 20;

/** A watch and its cluster. */
export interface FoundWatch {
  readonly cluster: InspectedCluster;
  readonly watch: WatchInventory;
}

export function findWatch(
  clusters: readonly InspectedCluster[],
  id: string,
): FoundWatch | undefined {
  for (const cluster of clusters) {
    const watch = cluster.cache
      .inventory()
      .find(({ identity }) => watchIdOf(cluster.name, identity) === id);
    if (watch !== undefined) return { cluster, watch };
  }
  return undefined;
}

/** Reads which handles a watch serves, and why no other watch does. */
export function readWatch({ cluster, watch }: FoundWatch): WatchPage {
  const own = cluster.cache.plan(watch.identity);
  return {
    id: watchIdOf(cluster.name, watch.identity),
    handles: own.map(({ owner, required, query, transform, isView, movesTo, others }) => ({
      owner,
      required,
      query: queryText(query, transform),
      isView,
      movesTo,
      others: others.slice(0, MAX_OTHERS),
    })),
  };
}

/**
 * Sends the events of a watch to one reader, once a second. While the reader is there, a handle of the owner `inspector`
 * holds the watch. Objects that exist already are left out, and so are events beyond the limit of a message. If the watch
 * ends, because its cluster was removed, the stream ends with a last message.
 */
export function openWatchFeed(
  { cluster, watch }: FoundWatch,
  clock: Pick<Clock, 'now'>,
  onClose: () => void,
): EventChannel {
  const { resource, namespace, labelSelector, fieldSelector, projection } = watch.query;
  const handle = cluster.cache.acquire(
    {
      resource,
      projection,
      ...(namespace !== undefined && { namespace }),
      ...(labelSelector !== undefined && { labelSelector }),
      ...(fieldSelector !== undefined && { fieldSelector }),
    },
    { owner: 'inspector', required: false },
  );
  let events: WatchEventRow[] = [];
  let left = 0;
  const channel = new EventChannel(() => {
    clearInterval(timer);
    handle.release();
    onClose();
  });
  const send = (ended?: string): void => {
    const message: WatchMessage = { events, left, ended };
    channel.send(JSON.stringify(message));
    events = [];
    left = 0;
  };
  handle.addEventHandler(
    (event) => {
      if (event.type === 'added' && event.initial) return;
      if (events.length < MAX_EVENTS) events.push(rowOf(event, clock));
      else left += 1;
    },
    { keepsViews: false },
  );
  const timer = setInterval(() => {
    const { state, reason } = handle.health;
    // The end of a watch reaches no listener of its handle.
    if (state === 'stopped') {
      clearInterval(timer);
      send(reason);
      channel.end();
      return;
    }
    if (!channel.isReady) return;
    if (events.length === 0) channel.beat();
    else send();
  }, INTERVAL_MS).unref();
  channel.beat();
  return channel;
}

function rowOf({ type, key, object }: InformerEvent, clock: Pick<Clock, 'now'>): WatchEventRow {
  return { at: clock.now(), type, key, resourceVersion: object.metadata.resourceVersion };
}
