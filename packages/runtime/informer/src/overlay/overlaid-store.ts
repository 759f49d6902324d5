import type { ObjectName } from '@keelson/apimachinery';
import type { StoreListOptions } from '../contract/object-store.ts';
import type { Selection } from '../store/selection.ts';
import type { Store } from '../store/store.ts';
import type { StoredObject } from '../store/stored-object.ts';
import type { Overlay } from './overlay.ts';
import { DerivedStore } from './serving-store.ts';

/**
 * The store of a watch, overlaid with the own writes that the watch has not reached. Reads of a cache go through it,
 * whereas event handlers follow the store below.
 */
export class OverlaidStore extends DerivedStore<Store> {
  readonly #overlay: Overlay;

  constructor(store: Store, overlay: Overlay) {
    super(store);
    this.#overlay = overlay;
  }

  get size(): number {
    const { size } = this.base;
    if (this.#overlay.entries.size === 0) return size;
    const { hidden, shown } = this.#overlay.difference();
    return size - hidden.size + shown.length;
  }

  get bytes(): number {
    return this.base.bytes;
  }

  view(name: ObjectName): StoredObject | undefined {
    const stored = this.base.view(name);
    return this.#overlay.entries.size === 0 ? stored : this.#overlay.find(name, stored);
  }

  find(name: ObjectName): StoredObject | undefined {
    const stored = this.base.find(name);
    return this.#overlay.entries.size === 0 ? stored : this.#overlay.find(name, stored);
  }

  select(options: StoreListOptions): Selection {
    const { candidates, condition } = this.base.select(options);
    if (this.#overlay.entries.size === 0) return { candidates, condition };
    const { hidden, shown } = this.#overlay.difference();
    const added = shown.filter((object) => this.#isCandidate(object, options));
    return { candidates: replaced(candidates, hidden, added), condition };
  }

  override indexValues(name: string): readonly string[] | undefined {
    const index = this.base.indexOf(name);
    if (this.#overlay.entries.size === 0 || index === undefined) return index?.values();
    const own = this.#overlay.difference().shown.flatMap((object) => index.valuesOf(object));
    return [...index.values(), ...own];
  }

  /** True if the store would find the object by the index or namespace of a list. */
  #isCandidate(object: StoredObject, { index, namespace }: StoreListOptions): boolean {
    if (index === undefined) return !namespace || object.namespace === namespace;
    return this.base.indexOf(index.name)?.matches(object, index.value) === true;
  }
}

function* replaced(
  candidates: Iterable<StoredObject>,
  hidden: ReadonlySet<StoredObject>,
  added: readonly StoredObject[],
): Generator<StoredObject> {
  for (const object of candidates) if (!hidden.has(object)) yield object;
  yield* added;
}
