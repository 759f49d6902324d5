import type { ObjectBytes } from '../memory/object-bytes.ts';
import type { Intake } from './intake.ts';
import type { ObjectIndex } from './object-index.ts';
import { ObjectTable } from './object-table.ts';
import type { StoredObject } from './stored-object.ts';

/**
 * The next state of a store while a list arrives. Readers do not see it until the store swaps to
 * it; a dropped stage has no effect. Unchanged objects are those of the store, so a relist does not
 * double the memory.
 */
export class Stage {
  readonly table: ObjectTable = new ObjectTable();
  readonly content: ObjectBytes;
  readonly indices: readonly ObjectIndex[];
  readonly #current: ObjectTable;

  constructor(current: ObjectTable, indices: readonly ObjectIndex[], content: ObjectBytes) {
    this.#current = current;
    this.indices = indices;
    this.content = content;
  }

  intern(namespace: string | undefined): string | undefined {
    return this.table.intern(namespace);
  }

  /** Stores the last object that the intake read. */
  put(intake: Intake): void {
    const stored = this.#current.get(intake.name);
    const isUnchanged = stored !== undefined && intake.isUnchanged(stored);
    const object = isUnchanged ? stored : (intake.keep(this) ?? intake.ofSameUid(stored));
    if (object === undefined) return;
    const previous = this.table.set(object);
    if (previous === object) return;
    if (previous !== undefined) this.#forget(previous);
    for (const index of this.indices) index.add(object);
  }

  /** Deletes the last object that the intake read. */
  delete(intake: Intake): void {
    const object = this.table.get(intake.name);
    if (object === undefined) return;
    this.table.delete(object);
    this.#forget(object);
  }

  #forget(object: StoredObject): void {
    for (const index of this.indices) index.remove(object);
    if (this.#current.get(object) === object) return;
    object.retire();
    this.content.discard(object);
  }
}
