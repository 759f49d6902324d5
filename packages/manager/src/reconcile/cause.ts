/** Why a cause asked for a reconcile. */
export type CauseReason =
  | 'added'
  | 'updated'
  | 'deleted'
  /** The object was there when the watch began. */
  | 'initial'
  /** An update that changed nothing. */
  | 'resync'
  /** An async-iterable source yielded the request. */
  | 'value'
  /** `controller.enqueue`. */
  | 'manual'
  /** The previous run asked for it with `requeueAfter`. */
  | 'requeue'
  /** The previous run failed or asked for a retry, and its object exists. */
  | 'retry';

/** Why a request was in the queue. */
export interface Cause {
  /** `for WebApp`, `owns Deployment`, `watch Secret`, the name of a source, or `controller`. */
  readonly source: string;
  readonly reason: CauseReason;
  /** Milliseconds from the moment at which the source first asked to the start of the run. */
  readonly age: number;
}

/** A cause as the queue keeps it: one object per source and reason. */
export interface QueuedCause {
  readonly reason: CauseReason;
  readonly source: CauseSet;
}

/**
 * The causes of one source: one object per reason for the source's whole life, so that a queue
 * remembers each only once. The set itself is the source that a queue withdraws.
 */
export class CauseSet {
  readonly name: string;
  readonly #causes = new Map<CauseReason, QueuedCause>();

  constructor(name: string) {
    this.name = name;
  }

  of(reason: CauseReason): QueuedCause {
    const known = this.#causes.get(reason);
    if (known !== undefined) return known;
    const cause: QueuedCause = { source: this, reason };
    this.#causes.set(reason, cause);
    return cause;
  }
}
