/** The reason for which a source queued a request. */
export type CauseReason =
  | 'added'
  | 'updated'
  | 'deleted'
  /** The object existed when the watch began. */
  | 'initial'
  /** An update that changed nothing. */
  | 'resync'
  /** An async-iterable source yielded the request. */
  | 'value'
  /** User code called `controller.enqueue`. */
  | 'manual'
  /** The previous run returned `requeueAfter`, or a loop over `controller.work()` was left with the request. */
  | 'requeue'
  /** This replica has become the owner of the request: its sharding moved it here. */
  | 'shard'
  /** The object had no run for `maxReconcileInterval`. */
  | 'interval'
  /**
   * The previous run failed or returned `retry`, and its object exists. If it does not, the retry keeps its earlier
   * causes only.
   */
  | 'retry';

/** The name of the source of requests that the controller itself queues. */
export const CONTROLLER = 'controller';

/** One source that queued a request, and its reason. */
export interface Cause {
  /**
   * `for WebApp`, `owns Deployment`, `watch Secret`, `track Secret`, also with ` of CLUSTER`; the name of a source, or
   * `controller`.
   */
  readonly source: string;
  readonly reason: CauseReason;
  /** Milliseconds from the first time the source queued the request to the start of the run. */
  readonly age: number;
}

/** A cause as the queue keeps it. Each pair of source and reason has one object. */
export interface QueuedCause {
  readonly reason: CauseReason;
  readonly source: CauseSet;
}

/**
 * The causes of one source. Each reason has one object for the whole life of the source, so that a queue keeps each
 * cause only once. The set also identifies the source when a queue withdraws its requests.
 */
export class CauseSet {
  readonly name: string;
  /** The further cluster that the source watches. */
  readonly cluster: string | undefined;
  readonly by: Readonly<Record<CauseReason, QueuedCause>>;

  constructor(name: string, cluster?: string) {
    this.name = name;
    this.cluster = cluster;
    const cause = (reason: CauseReason): QueuedCause => ({ source: this, reason });
    this.by = {
      added: cause('added'),
      updated: cause('updated'),
      deleted: cause('deleted'),
      initial: cause('initial'),
      resync: cause('resync'),
      value: cause('value'),
      manual: cause('manual'),
      requeue: cause('requeue'),
      shard: cause('shard'),
      interval: cause('interval'),
      retry: cause('retry'),
    };
  }
}
