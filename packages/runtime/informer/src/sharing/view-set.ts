import type { Coverage } from '../contract/coverage.ts';
import type { Place } from '../contract/place.ts';
import type { NamedTransform } from '../contract/watch-query.ts';
import type { View } from './view.ts';
import { ViewsByPlace } from './views-by-place.ts';

/**
 * The views of one kind, and which of them the watch of another view could serve. An index over the requirements of
 * their queries finds the few views that may be related, so the cost of many views is linear.
 */
export class ViewSet {
  readonly #views = new Map<string, View>();
  /** The views by each text of one of their sets of anchors: the set under which the index had the fewest views. */
  readonly #byAnchor = new Map<string, Set<View>>();
  readonly #anchorsOf = new Map<View, readonly string[]>();
  /** The views by each of their requirements. */
  readonly #byRequirement = new Map<string, Set<View>>();
  readonly #byPlace = new ViewsByPlace();
  /** The views that select nothing, which every query covers. */
  readonly #empty = new Set<View>();
  /** The views by the name of their transform. Within a kind a name means one function. */
  readonly #byTransform = new Map<string, Set<View>>();

  /** Iterates in the order of creation. */
  values(): IterableIterator<View> {
    return this.#views.values();
  }

  /** Returns the views that may have objects of a place, and possibly a few others, in the order of their creation. */
  at(place: Place): Iterable<View> {
    return this.#byPlace.at(place);
  }

  get(key: string): View | undefined {
    return this.#views.get(key);
  }

  /** Returns the views of exactly the query of a watch. */
  ofWatch(id: string): View[] {
    return [id, exactKey(id)].flatMap((key) => this.#views.get(key) ?? []);
  }

  /** Returns the views whose own watch could serve a query, in the order of their creation. */
  covering(coverage: Coverage): View[] {
    const { requirements } = coverage;
    const candidates =
      requirements === undefined ? [...this.values()] : viewsAt(this.#byAnchor, requirements);
    return candidates
      .filter((view) => canServe(view.coverage, coverage))
      .toSorted((a, b) => a.order - b.order);
  }

  /** Adds a view. `wider`: the views that cover it. */
  add(view: View, wider: readonly View[]): void {
    const { coverage, transform, key } = view;
    for (const other of wider) relate(other, view);
    const covered = viewsAt(this.#byRequirement, fewest(this.#byRequirement, coverage.anchors));
    for (const other of [...covered, ...this.#empty]) {
      if (canServe(coverage, other.coverage)) relate(view, other);
    }
    this.#views.set(key, view);
    this.#byPlace.add(view);
    const anchors = fewest(this.#byAnchor, coverage.anchors);
    this.#anchorsOf.set(view, anchors);
    for (const anchor of anchors) put(this.#byAnchor, anchor, view);
    if (coverage.requirements === undefined) this.#empty.add(view);
    for (const requirement of coverage.requirements ?? []) {
      put(this.#byRequirement, requirement, view);
    }
    if (transform !== undefined) put(this.#byTransform, transform.name, view);
  }

  remove(view: View): void {
    const { coverage, transform, key } = view;
    if (this.#views.get(key) !== view) return;
    this.#views.delete(key);
    this.#byPlace.delete(view);
    for (const other of view.wider) other.narrower.delete(view);
    for (const other of view.narrower) other.wider.delete(view);
    for (const anchor of this.#anchorsOf.get(view) ?? []) drop(this.#byAnchor, anchor, view);
    this.#anchorsOf.delete(view);
    this.#empty.delete(view);
    for (const requirement of coverage.requirements ?? []) {
      drop(this.#byRequirement, requirement, view);
    }
    if (transform !== undefined) drop(this.#byTransform, transform.name, view);
  }

  /** Returns the views whose transform is another function of this name. */
  conflicting(transform: NamedTransform | undefined): View[] {
    if (transform === undefined) return [];
    const named = this.#byTransform.get(transform.name) ?? [];
    const [first] = named;
    if (first?.transform?.apply === transform.apply) return [];
    return [...named];
  }

  clear(): void {
    for (const view of this.values()) this.remove(view);
  }
}

/** Returns the key of a view that always has its own watch. */
export function exactKey(id: string): string {
  return `exact ${id}`;
}

function relate(wider: View, narrower: View): void {
  narrower.wider.add(wider);
  wider.narrower.add(narrower);
}

function canServe(wider: Coverage, other: Coverage): boolean {
  return wider.gapTo(other) === undefined;
}

/** Returns the views under these texts, each once. */
function viewsAt(index: ReadonlyMap<string, Set<View>>, texts: readonly string[]): View[] {
  return [...new Set(texts.flatMap((text) => [...(index.get(text) ?? [])]))];
}

/** Returns the set of texts under which the index has the fewest views. */
function fewest(
  index: ReadonlyMap<string, Set<View>>,
  sets: readonly (readonly string[])[],
): readonly string[] {
  let best: readonly string[] = [];
  let fewestViews = Infinity;
  for (const texts of sets) {
    const views = texts.reduce((sum, text) => sum + (index.get(text)?.size ?? 0), 0);
    if (views < fewestViews) [best, fewestViews] = [texts, views];
  }
  return best;
}

function put(index: Map<string, Set<View>>, key: string, view: View): void {
  const views = index.get(key) ?? new Set();
  index.set(key, views.add(view));
}

function drop(index: Map<string, Set<View>>, key: string, view: View): void {
  const views = index.get(key);
  views?.delete(view);
  if (views?.size === 0) index.delete(key);
}
