import type { Place } from '../contract/place.ts';
import type { View } from './view.ts';

/** Up to this number of views, a read looks at each of them: that costs less than to look up their places. */
const FEW = 4;

/**
 * The views of one kind, and which of them may have the objects of a place. Each tracked object may have a watch of its own,
 * so a read must not look at all of them.
 */
export class ViewsByPlace {
  /** The views in the order of their addition, each with its position in it. */
  readonly #views = new Map<View, number>();
  /** The views by the namespace and then by the name that they select; `undefined` for all namespaces and names. */
  readonly #byNamespace = new Map<string | undefined, Map<string | undefined, Set<View>>>();
  #added = 0;

  get size(): number {
    return this.#views.size;
  }

  /** The only view, if its query selects all objects. */
  get whole(): View | undefined {
    if (this.#views.size !== 1) return undefined;
    const [view] = this.#views.keys();
    return view?.coverage.isWhole === true ? view : undefined;
  }

  add(view: View): void {
    if (this.#views.has(view)) return;
    this.#views.set(view, this.#added++);
    const { namespace, name } = view.coverage.place;
    const byName = this.#byNamespace.get(namespace) ?? new Map<string | undefined, Set<View>>();
    this.#byNamespace.set(namespace, byName);
    byName.set(name, (byName.get(name) ?? new Set()).add(view));
  }

  delete(view: View): void {
    if (!this.#views.delete(view)) return;
    const { namespace, name } = view.coverage.place;
    const byName = this.#byNamespace.get(namespace);
    const views = byName?.get(name);
    views?.delete(view);
    if (views?.size === 0) byName?.delete(name);
    if (byName?.size === 0) this.#byNamespace.delete(namespace);
  }

  /** Returns the views that may have objects of a place, and possibly a few others, in the order of their addition. */
  at({ namespace, name }: Place): Iterable<View> {
    const isEverywhere = namespace === undefined && name === undefined;
    if (isEverywhere || this.#views.size <= FEW) return this.#views.keys();
    const sets = [...under(this.#byNamespace, namespace)].flatMap((byName) => [
      ...under(byName, name),
    ]);
    const [first = []] = sets;
    if (sets.length < 2) return [...first];
    return sets
      .flatMap((views) => [...views])
      .toSorted((a, b) => (this.#views.get(a) ?? 0) - (this.#views.get(b) ?? 0));
  }
}

/** Returns the values that a text may select: that of the text itself and that of all texts. Without a text, all values. */
function under<Value>(
  values: ReadonlyMap<string | undefined, Value>,
  text: string | undefined,
): Iterable<Value> {
  if (text === undefined) return values.values();
  return [values.get(undefined), values.get(text)].filter((value) => value !== undefined);
}
