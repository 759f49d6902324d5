import { memoryOf, type ObjectBytes } from '../memory/object-bytes.ts';
import type { Candidate } from './candidate.ts';
import type { ObjectIndex } from './object-index.ts';
import { ObjectTable } from './object-table.ts';
import type { StoreSettings } from './store-settings.ts';
import type { StoredObject } from './stored-object.ts';

/**
 * The next state of a store while a list arrives. Readers do not see it until the store swaps it in; a stage that is
 * dropped has no effect. It shares unchanged objects with the store, so a relist does not double the memory.
 */
export class Stage {
  readonly table: ObjectTable = new ObjectTable();
  readonly content: ObjectBytes;
  readonly indices: readonly ObjectIndex[];
  readonly #current: ObjectTable;
  readonly #stored: ObjectBytes;
  readonly #isOutside: StoreSettings['isOutside'];

  /** `current`: the objects of the store, of which the stage takes the unchanged ones, and their bytes. */
  constructor(
    current: {
      readonly objects: ObjectTable;
      readonly content: ObjectBytes;
      readonly isOutside: StoreSettings['isOutside'];
    },
    next: Pick<Stage, 'indices' | 'content'>,
  ) {
    this.#current = current.objects;
    this.#stored = current.content;
    this.#isOutside = current.isOutside;
    this.indices = next.indices;
    this.content = next.content;
  }

  /** The memory of the stage in bytes. The content of objects that it shares with the store does not count. */
  get memoryUsed(): number {
    return memoryOf(this.table.size, this.content);
  }

  intern(namespace: string | undefined): string | undefined {
    return this.table.intern(namespace);
  }

  /** Returns true if the stage already had an object of this name. */
  put(candidate: Candidate): boolean {
    const stored = this.#current.get(candidate);
    const isUnchanged = stored !== undefined && candidate.equals(stored);
    // A change of a stored object that leaves the part must reach the handlers.
    if ((stored === undefined || isUnchanged) && this.#isOutside?.(candidate)) return false;
    if (isUnchanged && stored.slab?.encoding.isHeadOnly === true) this.#restore(stored, candidate);
    const former = stored?.uid === candidate.uid ? stored : undefined;
    const object = isUnchanged ? stored : (candidate.keep(this) ?? former);
    if (object === undefined) return false;
    const previous = this.table.set(object);
    if (previous === object) return true;
    if (previous !== undefined) this.#forget(previous);
    for (const index of this.indices) index.add(object);
    return previous !== undefined;
  }

  delete(candidate: Candidate): void {
    const object = this.table.get(candidate);
    if (object === undefined) return;
    this.table.delete(object);
    this.#forget(object);
  }

  /** Restores the body of a stored object, which a memory budget had dropped. */
  #restore(stored: StoredObject, candidate: Candidate): void {
    const { retention } = this.content;
    if (retention === 'metadata') return;
    // The body is kept as bytes with every retention, because a stored object cannot become a parsed one.
    this.content.retainAs('lazy');
    const whole = candidate.keep(this);
    this.content.retainAs(retention);
    if (whole === undefined) return;
    this.#stored.restore(stored, whole);
    this.content.discard(whole);
  }

  #forget(object: StoredObject): void {
    for (const index of this.indices) index.remove(object);
    if (this.#current.get(object) === object) return;
    object.retire();
    this.content.discard(object);
  }
}
