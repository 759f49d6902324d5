import type { StoredObject } from './stored-object.ts';

/** How one write changed one object. */
export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly revision: number;
  /** The state after the change; of a deleted object the last state, at the revision of its deletion. */
  readonly object: StoredObject;
  /** The state before, unless the object is new. */
  readonly previous: StoredObject | undefined;
}

/** How much of the history of a resource is kept. */
export interface HistoryBounds {
  /** Changes that are kept at least, as far as their objects fit into `bytes`. */
  readonly changes: number;
  /** The most that the objects of all changes hold together. The newest change is always kept. */
  readonly bytes: number;
}

/** What a log is made with. */
export interface RevisionLogOptions {
  readonly bounds: HistoryBounds;
  /** Is called with every change that is forgotten. */
  readonly forgotten?: (change: Change) => void;
}

/**
 * The changes of one resource in the order of their revisions, as far back as they are kept. Readers hold a
 * position, which stays good when the oldest changes go.
 */
export class RevisionLog {
  readonly #bounds: HistoryBounds;
  readonly #forgotten: (change: Change) => void;
  #changes: Change[] = [];
  /** The bytes of the objects in `#changes`. */
  #bytes = 0;
  /** The position of `#changes[0]`. */
  #first = 0;
  #compacted: number;

  constructor(compacted: number, { bounds, forgotten = () => {} }: RevisionLogOptions) {
    this.#compacted = compacted;
    this.#bounds = bounds;
    this.#forgotten = forgotten;
  }

  /** Reading can resume after any revision from this one on; what came before is forgotten. */
  get compacted(): number {
    return this.#compacted;
  }

  /** The position behind the last change. */
  get end(): number {
    return this.#first + this.#changes.length;
  }

  append(change: Change): void {
    const { changes, bytes } = this.#bounds;
    this.#changes.push(change);
    this.#bytes += sizeOf(change);
    // Cutting off a part makes the cost of keeping the limits constant per change.
    if (this.#changes.length >= 2 * changes) this.#drop(this.#changes.length - changes);
    if (this.#bytes > bytes) this.#drop(this.#countBeyond((bytes * 3) / 4));
  }

  /** How many of the oldest changes have to go so that the rest holds at most so many bytes. */
  #countBeyond(most: number): number {
    let count = 0;
    for (let bytes = this.#bytes; bytes > most && count < this.#changes.length - 1; count++) {
      bytes -= sizeOf(this.#changes[count]);
    }
    return count;
  }

  /** `undefined`: forgotten, or not yet written. */
  at(position: number): Change | undefined {
    return this.#changes[position - this.#first];
  }

  /** The position of the first change after a revision. */
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

  /** True while the change at the position has not been forgotten. */
  holds(position: number): boolean {
    return position >= this.#first;
  }

  /** Forgets every change up to and including a revision. */
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
