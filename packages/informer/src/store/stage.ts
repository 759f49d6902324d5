import { Arena, type SlabPool } from './arena.ts';
import type { Intake } from './intake.ts';
import type { ObjectIndex } from './object-index.ts';
import { ObjectTable } from './object-table.ts';
import type { StoredObject } from './stored-object.ts';

/**
 * The next state of a store while a list is still coming in. Nobody reads it until the store is
 * swapped for it; a stage that is dropped leaves no trace. Objects whose version has not changed
 * are the store's own, so that a relist does not double the memory.
 */
export class Stage {
  readonly table: ObjectTable = new ObjectTable();
  readonly arena: Arena;
  readonly indices: readonly ObjectIndex[];
  readonly #current: ObjectTable;

  constructor(current: ObjectTable, indices: readonly ObjectIndex[], slabs: SlabPool) {
    this.#current = current;
    this.arena = new Arena(slabs);
    this.indices = indices;
  }

  intern(namespace: string | undefined): string | undefined {
    return this.table.intern(namespace);
  }

  /** Takes what the intake has read. */
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

  /** Takes out what the intake has read. */
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
    this.arena.discard(object);
  }
}
