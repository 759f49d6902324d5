import type { Group, WeightOf } from '../contract/grouping.ts';
import type { Entry } from '../entries/entry-table.ts';

type AnyEntry = Entry<unknown, unknown, unknown>;

/** The weight of the entries of a line that are in none of its groups. */
const OWN_WEIGHT = 1;

/** The name of the child with these entries. It is empty, because the name of a group never is. */
const OWN = '';

/**
 * The ready entries of one priority, or of one group within it. A line without groups is a list of entries. A line with
 * groups hands out the entries of its children by weighted round-robin. The line of a group exists only while it has
 * entries, so that a group without work costs nothing.
 */
export class Line {
  /** The line of the priority. */
  readonly root: Line;
  readonly #name: string;
  readonly #parent: Line | undefined;
  readonly #weight: number;
  /** The first and the last entry of the list, which their `next` and `previous` link. */
  head: AnyEntry | undefined = undefined;
  tail: AnyEntry | undefined = undefined;
  /** The entry that was put back last, while it is listed. The next one to be put back often belongs directly after it. */
  putBack: AnyEntry | undefined = undefined;
  /** The number of ready entries of this line and its groups, including skipped ones. */
  depth = 0;
  #children: Map<string, Line> | undefined;
  /** The child whose turn it is, in the ring of the children with listed entries. */
  #turn: Line | undefined;
  /** The neighbours in the ring of the parent. A line outside of the ring is its own neighbour. */
  #next: Line = this;
  #previous: Line = this;
  #isInRing = false;
  /** The number of entries that the line may still hand out in this round. */
  #credit = 0;

  constructor(name: string = OWN, weight: number = OWN_WEIGHT, parent?: Line) {
    this.root = parent?.root ?? this;
    this.#name = name;
    this.#weight = weight;
    this.#parent = parent;
  }

  /** Returns the line with the list of a group; creates it if the group has no entries. */
  at(group: Group, weightOf: WeightOf): Line {
    // Most adds end here: a group without further groups is found without a path.
    const known = typeof group === 'string' ? this.#children?.get(group) : undefined;
    if (known !== undefined && known.#children === undefined) return known;
    const path = typeof group === 'string' ? [group] : (group ?? []);
    return this.#descend(path, 0, weightOf);
  }

  /** Returns the line whose list has the entry that is handed out next. */
  get next(): Line {
    return this.#turn === undefined ? this : this.#turn.next;
  }

  /**
   * Adds 1 or -1 to the number of entries of this line and its parents. The line of a group is removed with its last
   * entry.
   */
  count(change: 1 | -1): void {
    this.depth += change;
    const parent = this.#parent;
    if (parent === undefined) return;
    if (this.depth === 0) parent.#remove(this);
    parent.count(change);
  }

  /** Enters the ring of the parent as its last member, because an entry is listed. */
  enter(): void {
    const parent = this.#parent;
    if (parent === undefined || this.#isInRing) return;
    this.#isInRing = true;
    this.#credit = this.#weight;
    if (parent.#turn === undefined) parent.#turn = this;
    else this.#linkBefore(parent.#turn);
    parent.enter();
  }

  /** Leaves the ring of the parent, because no entry is listed. */
  leave(): void {
    const parent = this.#parent;
    if (parent === undefined || !this.#isInRing) return;
    this.#isInRing = false;
    if (parent.#turn === this) parent.#turn = this.#next === this ? undefined : this.#next;
    this.#previous.#next = this.#next;
    this.#next.#previous = this.#previous;
    this.#next = this;
    this.#previous = this;
    if (parent.#turn === undefined) parent.leave();
  }

  /**
   * Records that an entry of the list was handed out. When the credit is used, the next line of the ring gets the turn.
   */
  spend(): void {
    const parent = this.#parent;
    if (parent === undefined) return;
    this.#credit -= 1;
    if (this.#isInRing && this.#credit <= 0) {
      this.#credit = this.#weight;
      parent.#turn = this.#next;
    }
    parent.spend();
  }

  #descend(path: readonly string[], depth: number, weightOf: WeightOf): Line {
    const name = path[depth];
    if (name === undefined) {
      if (this.#children === undefined) return this;
      return this.#children.get(OWN) ?? this.#add(OWN, OWN_WEIGHT);
    }
    const known = this.#children?.get(name);
    const child = known ?? this.#add(name, weightOf(path.slice(0, depth + 1)));
    return child.#descend(path, depth + 1, weightOf);
  }

  #linkBefore(other: Line): void {
    this.#next = other;
    this.#previous = other.#previous;
    this.#previous.#next = this;
    other.#previous = this;
  }

  #add(name: string, weight: number): Line {
    this.#children ??= this.#firstChildren();
    const child = new Line(name, weight, this);
    this.#children.set(name, child);
    return child;
  }

  /**
   * Moves the entries of this line to a new child, because a line with groups has no list. The entries do not change,
   * since they have no reference to their line.
   */
  #firstChildren(): Map<string, Line> {
    const children = new Map<string, Line>();
    if (this.depth === 0) return children;
    const own = new Line(OWN, OWN_WEIGHT, this);
    own.head = this.head;
    own.tail = this.tail;
    own.depth = this.depth;
    this.head = undefined;
    this.tail = undefined;
    if (own.head !== undefined) {
      own.#isInRing = true;
      own.#credit = OWN_WEIGHT;
      this.#turn = own;
    }
    return children.set(OWN, own);
  }

  #remove(child: Line): void {
    this.#children?.delete(child.#name);
    if (this.#children?.size === 0) this.#children = undefined;
  }
}
