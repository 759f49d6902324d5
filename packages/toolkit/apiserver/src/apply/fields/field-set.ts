/**
 * One step of a path in the notation of `fieldsV1`: `f:replicas` (a field or key), `k:{"name":"a"}` (an item of a
 * keyed list), `v:"a"` (an item of a set), `i:0` (an index).
 */
export type PathElement = string;

const noMembers: ReadonlySet<PathElement> = new Set();
const noChildren: ReadonlyMap<PathElement, FieldSet> = new Map();

/**
 * A set of paths, stored as a tree. Membership of a path does not include its descendants: an owner of `spec` need
 * not own `spec.replicas`. Only `insert` changes a set; the results of the other operations share subsets, and nothing is
 * inserted into them.
 */
export class FieldSet {
  /** Made by the first member, as the map is by the first child: most sets have one of the two. */
  #members: Set<PathElement> | undefined;
  #children: Map<PathElement, FieldSet> | undefined;

  constructor(members?: Set<PathElement>, children?: Map<PathElement, FieldSet>) {
    this.#members = members;
    this.#children = children;
  }

  static of(...paths: readonly (readonly PathElement[])[]): FieldSet {
    const set = new FieldSet();
    for (const path of paths) set.insert(path);
    return set;
  }

  get isEmpty(): boolean {
    if (this.members.size > 0) return false;
    for (const child of this.children.values()) if (!child.isEmpty) return false;
    return true;
  }

  /** The steps of this level that are members. */
  get members(): ReadonlySet<PathElement> {
    return this.#members ?? noMembers;
  }

  /** The subsets below the steps of this level. Operations never leave an empty one. */
  get children(): ReadonlyMap<PathElement, FieldSet> {
    return this.#children ?? noChildren;
  }

  /** Adds a path in place; the only operation that changes the set. Ignores the empty path. */
  insert(path: readonly PathElement[]): void {
    this.#insertFrom(path, 0);
  }

  has(path: readonly PathElement[]): boolean {
    const [first, ...rest] = path;
    if (first === undefined) return false;
    if (rest.length === 0) return this.members.has(first);
    return this.children.get(first)?.has(rest) === true;
  }

  union(other: FieldSet): FieldSet {
    if (other.#hasNothing) return this;
    if (this.#hasNothing) return other;
    const children = new Map(this.children);
    for (const [element, child] of other.children) {
      const mine = children.get(element);
      children.set(element, mine === undefined ? child : mine.union(child));
    }
    return new FieldSet(new Set([...this.members, ...other.members]), children);
  }

  intersection(other: FieldSet): FieldSet {
    return this.#derive(
      (element) => other.members.has(element),
      (element, child) => {
        const theirs = other.children.get(element);
        return theirs === undefined ? undefined : child.intersection(theirs);
      },
    );
  }

  /** The paths that `other` lacks; descendants of the paths of `other` remain. */
  difference(other: FieldSet): FieldSet {
    if (this.#hasNothing || other.#hasNothing) return this;
    return this.#derive(
      (element) => !other.members.has(element),
      (element, child) => {
        const theirs = other.children.get(element);
        return theirs === undefined ? child : child.difference(theirs);
      },
    );
  }

  /** The paths that `other` lacks, without the descendants of the paths of `other`. */
  recursiveDifference(other: FieldSet): FieldSet {
    if (this.#hasNothing || other.#hasNothing) return this;
    return this.#derive(
      (element) => !other.members.has(element),
      (element, child) => {
        if (other.members.has(element)) return undefined;
        const theirs = other.children.get(element);
        return theirs === undefined ? child : child.recursiveDifference(theirs);
      },
    );
  }

  equals(other: FieldSet): boolean {
    return this.difference(other).isEmpty && other.difference(this).isEmpty;
  }

  /** The steps of this level that are members or have descendants, sorted as text. */
  elements(): PathElement[] {
    const children = [...this.children.keys()].filter((element) => !this.members.has(element));
    return [...this.members, ...children].toSorted((left, right) => (left < right ? -1 : 1));
  }

  /** Every path; the members of a level come before their descendants. */
  *paths(prefix: readonly PathElement[] = []): Generator<PathElement[]> {
    const elements = this.elements();
    for (const element of elements) {
      if (this.members.has(element)) yield [...prefix, element];
    }
    for (const element of elements) {
      const child = this.children.get(element);
      if (child !== undefined) yield* child.paths([...prefix, element]);
    }
  }

  /** True for a set without a tree. It is cheaper than `isEmpty`, which walks. */
  get #hasNothing(): boolean {
    return this.members.size === 0 && this.children.size === 0;
  }

  #insertFrom(path: readonly PathElement[], at: number): void {
    const element = path[at];
    if (element === undefined) return;
    if (at === path.length - 1) (this.#members ??= new Set()).add(element);
    else this.#childOrNew(element).#insertFrom(path, at + 1);
  }

  #childOrNew(element: PathElement): FieldSet {
    const known = this.#children?.get(element);
    if (known !== undefined) return known;
    const child = new FieldSet();
    (this.#children ??= new Map()).set(element, child);
    return child;
  }

  #derive(
    isKept: (member: PathElement) => boolean,
    childOf: (element: PathElement, child: FieldSet) => FieldSet | undefined,
  ): FieldSet {
    const derived = new FieldSet();
    for (const member of this.members) {
      if (isKept(member)) (derived.#members ??= new Set()).add(member);
    }
    for (const [element, child] of this.children) {
      const kept = childOf(element, child);
      if (kept !== undefined && !kept.isEmpty) (derived.#children ??= new Map()).set(element, kept);
    }
    return derived;
  }
}
