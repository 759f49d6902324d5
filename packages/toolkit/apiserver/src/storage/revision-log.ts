import type { StoredObject } from './stored-object.ts';

/** The effect of one write on one object. */
export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly revision: number;
  /** The state after the change. For a deletion it is the last state with the revision of the deletion. */
  readonly object: StoredObject;
  /** The previous state; `undefined` for a new object. */
  readonly previous: StoredObject | undefined;
}

/** Limits of the history of a resource. */
export interface HistoryBounds {
  /** Number of changes to keep, as far as their objects fit into `bytes`. */
  readonly changes: number;
  /** Most bytes of the objects of all changes. The newest change is always kept. */
  readonly bytes: number;
}

export interface RevisionLogOptions {
  readonly bounds: HistoryBounds;
  /** Called with every dropped change. */
  readonly forgotten?: (change: Change) => void;
}

/**
 * The latest changes of one resource in the order of their revisions. Readers hold a position, which stays valid when
 * the oldest changes are dropped.
 */
export class RevisionLog {
  readonly #bounds: HistoryBounds;
  readonly #forgotten: (change: Change) => void;
  #changes: Change[] = [];
  /** Bytes of the objects in `#changes`. */
  #bytes = 0;
  /** Position of `#changes[0]`. */
  #first = 0;
  #compacted: number;

  constructor(compacted: number, { bounds, forgotten = () => {} }: RevisionLogOptions) {
    this.#compacted = compacted;
    this.#bounds = bounds;
    this.#forgotten = forgotten;
  }

  /** The oldest revision after which a reader can resume; earlier changes have been dropped. */
  get compacted(): number {
    return this.#compacted;
  }

  /** The position after the last change. */
  get end(): number {
    return this.#first + this.#changes.length;
  }

  /** Sets the oldest revision of an empty log, which a snapshot restores. */
  restart(compacted: number): void {
    this.#compacted = compacted;
  }

  append(change: Change): void {
    const { changes, bytes } = this.#bounds;
    this.#changes.push(change);
    this.#bytes += sizeOf(change);
    // Dropping many changes at once keeps the amortized cost per change constant.
    if (this.#changes.length >= 2 * changes) this.#drop(this.#changes.length - changes);
    if (this.#bytes > bytes) this.#drop(this.#countBeyond((bytes * 3) / 4));
  }

  /** Returns how many of the oldest changes must be dropped so that the others have at most `most` bytes. */
  #countBeyond(most: number): number {
    let count = 0;
    for (let bytes = this.#bytes; bytes > most && count < this.#changes.length - 1; count++) {
      bytes -= sizeOf(this.#changes[count]);
    }
    return count;
  }

  /** Returns the change at a position; `undefined` if it has been dropped or not been written. */
  at(position: number): Change | undefined {
    return this.#changes[position - this.#first];
  }

  /** Returns the position of the first change after a revision. */
  positionAfter(revision: number): number {
    let from = 0;
    let to = this.#changes.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#changes[middle]?.revision ?? 0) <= revision) from = middle + 1;
      else to = middle;
    }
    return this.#first + from;
  }

  /** True until the change at the position is dropped. */
  holds(position: number): boolean {
    return position >= this.#first;
  }

  /** Drops all changes up to and including a revision. */
  compact(revision: number): void {
    this.#drop(this.positionAfter(revision) - this.#first);
    this.#compacted = Math.max(this.#compacted, revision);
  }

  #drop(count: number): void {
    this.#compacted = Math.max(this.#compacted, this.#changes[count - 1]?.revision ?? 0);
    for (const change of this.#changes.slice(0, count)) {
      this.#bytes -= sizeOf(change);
      this.#forgotten(change);
    }
    this.#changes = this.#changes.slice(count);
    this.#first += count;
  }
}

function sizeOf(change: Change | undefined): number {
  return change?.object.bytes.length ?? 0;
}
