import {
  builtin,
  printFieldSelector,
  type DeepReadonly,
  type KubernetesObject,
} from '@keelson/apimachinery';
import type {
  ObjectEvent,
  ObjectReference,
  RequestPage,
  TimelineEntry,
  UnreadPart,
  WriterRow,
} from '@keelson/inspector';
import type { Client } from '@keelson/client';
import type { ObjectWriter } from '../explain/explanation-facts.ts';
import type { WriterRead } from '../explain/explainer.ts';
import type { Explanation } from '../explain/explanation.ts';
import { dropLine, errorText, eventLine, runLines } from '../explain/explanation-text.ts';
import { errorOf } from '../history/recorded-run.ts';
import { requestOfKey } from '../reconcile/request.ts';
import type { InspectedController, RequestCluster } from './inspected-manager.ts';
import { redacted } from './redaction.ts';

/** The most children and events of a page. */
const MAX_CHILDREN = 100;
const MAX_EVENTS = 50;

type ReadObject = DeepReadonly<KubernetesObject>;

/** Runs a request to the API server, bounded in time and number. Rejects if it does not end in time. */
export type RunRequest = <T>(request: (signal: AbortSignal) => Promise<T>) => Promise<T>;

/**
 * Reads all about a request. Only the events of its object and the writers need requests to the API server; what does not
 * arrive is named in `unread`.
 */
export async function readRequest(
  controller: InspectedController,
  key: string,
  run: RunRequest,
): Promise<RequestPage> {
  const explanation = controller.explainKey(key);
  const cluster = controller.parts.clusterOf(key);
  const object = cluster && objectOf(cluster, key);
  const memory = {
    controller: controller.name,
    request: key,
    state: explanation.state,
    isPaused: controller.parts.isPaused(key),
    obstacles: explanation.obstacles.map(({ code, text }) => `${text} (${code})`),
    nextRun: explanation.nextRun,
    timeline: timelineOf(explanation),
    ...(cluster && object ? relatedTo(object, cluster) : noObject),
  };
  const [events, ...writers] = await Promise.all([
    cluster && object ? arrived('Events', run, eventsOf(object, cluster.client)) : nothing,
    ...controller.parts
      .writerReads(key)
      .map((read) =>
        arrived(`Last writers of ${placeOf(read)}`, run, async (signal) =>
          writerRows(await read.read(signal)),
        ),
      ),
  ]);
  return {
    ...memory,
    events: events.rows,
    writers: writers.flatMap(({ rows }) => rows),
    unread: [events, ...writers].flatMap(({ unread }) => unread),
  };
}

/** The rows of a part that the API server sends, or why they are not available. */
interface Arrived<Row> {
  readonly rows: readonly Row[];
  readonly unread: readonly UnreadPart[];
}

const nothing: Arrived<never> = { rows: [], unread: [] };

async function arrived<Row>(
  part: string,
  run: RunRequest,
  read: (signal: AbortSignal) => Promise<readonly Row[]>,
): Promise<Arrived<Row>> {
  try {
    return { rows: await run(read), unread: [] };
  } catch (error) {
    return { rows: [], unread: [{ part, reason: errorText(errorOf(error)) }] };
  }
}

type Related = Pick<RequestPage, 'object' | 'owners' | 'children'>;

const noObject: Related = { object: undefined, owners: [], children: [] };

/** The object for people, and what belongs to it. */
function relatedTo(object: ReadObject, cluster: RequestCluster): Related {
  const { namespace, ownerReferences = [] } = object.metadata ?? {};
  return {
    object: redacted(object, cluster.primary?.kind ?? ''),
    owners: ownerReferences.map(({ kind, name }) => ({ kind, namespace, name })),
    children: childrenOf(cluster, object),
  };
}

function placeOf({ source, object }: Pick<WriterRead, 'source' | 'object'>): string {
  return `${object} (${source})`;
}

/** The rows of the last writers of an object; none of one that is gone. */
function writerRows(writer: ObjectWriter | undefined): WriterRow[] {
  if (writer === undefined) return [];
  return writer.managers.map(({ manager, operation, subresource, at }) => ({
    object: placeOf(writer),
    manager,
    operation: subresource === undefined ? operation : `${operation} ${subresource}`,
    at,
  }));
}

function timelineOf({ events, runs, dropped }: Explanation): TimelineEntry[] {
  const entries: TimelineEntry[] = [
    ...events.map((event) => {
      const type = event.decision === 'superseded' ? 'superseded' : 'event';
      return entryOf(type, event.at, [eventLine(event)]);
    }),
    ...dropped.map((drop) => entryOf('dropped', drop.at, [dropLine(drop)])),
    ...runs.map((run) => ({
      ...entryOf('run', run.at, runLines(run)),
      isFailure: run.error !== undefined,
    })),
  ];
  return entries.toSorted((one, other) => (one.at < other.at ? 1 : -1));
}

/** Each line of an explanation begins with its time, which the page shows apart. */
function entryOf(
  type: TimelineEntry['type'],
  at: string,
  [first = '', ...details]: readonly string[],
): TimelineEntry {
  return { at, type, text: first.slice(at.length + 1), details, isFailure: false };
}

function objectOf({ cache, primary }: RequestCluster, key: string): ReadObject | undefined {
  if (primary === undefined) return undefined;
  try {
    const { namespace, name } = requestOfKey(key);
    return cache.get(primary, { namespace, name });
  } catch {
    return undefined; // The obstacles name the watch that has not synced.
  }
}

function childrenOf({ cache, owned }: RequestCluster, owner: ReadObject): ObjectReference[] {
  const children = owned.flatMap((resource) => {
    try {
      const options = { projection: 'metadata', limit: MAX_CHILDREN } as const;
      const found = cache.owned(resource, owner, options);
      return found.map(({ metadata: { namespace, name } }) => ({
        kind: resource.kind,
        namespace,
        name,
      }));
    } catch {
      return []; // The watch has not synced.
    }
  });
  return children.slice(0, MAX_CHILDREN);
}

/** Returns a function that lists the Events about an object, latest first. */
function eventsOf(
  { metadata }: ReadObject,
  client: Pick<Client, 'list'>,
): (signal: AbortSignal) => Promise<readonly ObjectEvent[]> {
  const fieldSelector = printFieldSelector([
    { path: 'involvedObject.uid', operator: '=', value: metadata?.uid ?? '' },
  ]);
  // The events of an object without a namespace are in `default`.
  const namespace = metadata?.namespace ?? 'default';
  return async (signal) => {
    const { items } = await client.list(builtin.Event, { namespace, fieldSelector, signal });
    const events = items
      .map(eventOf)
      .toSorted((one, other) => ((one.at ?? '') < (other.at ?? '') ? 1 : -1));
    return events.slice(0, MAX_EVENTS);
  };
}

function eventOf(event: DeepReadonly<EventObject>): ObjectEvent {
  const { type, reason, message, count, series, lastTimestamp, eventTime, metadata } = event;
  return {
    type: type ?? 'Normal',
    reason: reason ?? '',
    note: message ?? '',
    count: series?.count ?? count ?? 1,
    at:
      series?.lastObservedTime ??
      lastTimestamp ??
      eventTime ??
      metadata?.creationTimestamp ??
      undefined,
  };
}

/** The members of an Event that the page shows. */
interface EventObject extends KubernetesObject {
  readonly type?: string | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly count?: number | undefined;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string } | undefined;
  readonly lastTimestamp?: string | null | undefined;
  readonly eventTime?: string | null | undefined;
}
