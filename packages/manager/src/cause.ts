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
  | 'requeue';

/** Why a request is in the queue. */
export interface Cause {
  /** `for WebApp`, `owns Deployment`, `watch Secret`, the name of a source, or `controller`. */
  readonly source: string;
  readonly reason: CauseReason;
}

/**
 * The causes of one source: one object per reason for the source's whole life, so that a queue
 * remembers each only once and a removed source finds its own.
 */
export class CauseSet {
  readonly #source: string;
  readonly #causes = new Map<CauseReason, Cause>();
  readonly #members = new Set<Cause>();

  constructor(source: string) {
    this.#source = source;
  }

  of(reason: CauseReason): Cause {
    const known = this.#causes.get(reason);
    if (known !== undefined) return known;
    const cause = { source: this.#source, reason };
    this.#causes.set(reason, cause);
    this.#members.add(cause);
    return cause;
  }

  has(cause: Cause): boolean {
    return this.#members.has(cause);
  }
}
