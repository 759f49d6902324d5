import { checkOptions, invalidOption } from '@keelson/apimachinery';
import type { InformerEvent } from '@keelson/informer';
import type { CauseReason } from '../../reconcile/cause.ts';

/** The priorities of requests, by the kind of the event that leads to them. */
export interface RequestPriorities {
  /** For objects that exist when a watch begins, or whose requests a sharding moved here. Default −100. */
  readonly initial?: number;
  /** For resyncs, which are updates that changed nothing. Default −100. */
  readonly resync?: number;
  /** For new objects and for updates. Default 0. */
  readonly change?: number;
  /**
   * For updates without a new `metadata.generation`: they changed only the status, labels or other metadata. Kinds
   * without a generation have no such updates. Default: that of `change`.
   */
  readonly status?: number;
  /** For objects that are gone, and for updates of objects that are being deleted. Default 0. */
  readonly deletion?: number;
}

/** The priorities of a controller or source with all defaults. */
export type ResolvedPriorities = Required<RequestPriorities>;

const defaults: ResolvedPriorities = {
  initial: -100,
  resync: -100,
  change: 0,
  status: 0,
  deletion: 0,
};

const names = Object.keys(defaults) as (keyof RequestPriorities)[];

/** Throws `INVALID_OPTION` for invalid priorities. */
export function checkPriorities(priorities: RequestPriorities | undefined, where: string): void {
  if (priorities === undefined) return;
  checkOptions(priorities, names, where);
  for (const name of names) checkPriority(priorities[name], `${where}.${name}`);
}

/** Throws `INVALID_OPTION` for a priority that is neither missing nor a finite number. */
export function checkPriority(priority: unknown, where: string): void {
  if (priority !== undefined && !Number.isFinite(priority)) {
    throw invalidOption(where, 'must be a finite number');
  }
}

/** Adds the priorities of a controller to those of its manager, or those of a source to those of its controller. */
export function resolvePriorities(
  own: RequestPriorities = {},
  shared: ResolvedPriorities = defaults,
): ResolvedPriorities {
  return {
    initial: own.initial ?? shared.initial,
    resync: own.resync ?? shared.resync,
    change: own.change ?? shared.change,
    status: own.status ?? own.change ?? shared.status,
    deletion: own.deletion ?? shared.deletion,
  };
}

/** The priorities of a source: its own by kind of event, then its own for all, then those of its controller. */
export function sourcePriorities(
  source: { readonly priority?: number; readonly priorities?: RequestPriorities },
  shared: ResolvedPriorities,
): ResolvedPriorities {
  const { priority, priorities } = source;
  if (priority === undefined) return resolvePriorities(priorities, shared);
  const all = { initial: priority, resync: priority, change: priority, deletion: priority };
  return resolvePriorities(priorities, { ...all, status: priority });
}

/** Returns the priority of the requests of an event. */
export function priorityOf(
  event: InformerEvent,
  reason: CauseReason,
  priorities: ResolvedPriorities,
): number {
  if (reason === 'initial' || reason === 'resync') return priorities[reason];
  if (reason === 'shard') return priorities.initial;
  const { change, status, deletion } = priorities;
  // Without a difference the metadata is not read, because a lazy view would parse it.
  if (status === change && deletion === change) return change;
  try {
    return priorityOfChange(event, priorities);
  } catch {
    // The metadata cannot be read. The requests must be queued all the same.
    return change;
  }
}

function priorityOfChange(
  event: InformerEvent,
  { change, status, deletion }: ResolvedPriorities,
): number {
  const { generation, deletionTimestamp } = event.object.metadata;
  if (event.type === 'deleted' || deletionTimestamp !== undefined) return deletion;
  if (event.type === 'added' || generation === undefined) return change;
  return event.previous.metadata.generation === generation ? status : change;
}
