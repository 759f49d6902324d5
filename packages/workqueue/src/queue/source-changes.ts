import type { Backlog } from '../backlog/backlog.ts';
import type { EntryTable } from '../backlog/entry-table.ts';
import type { Origin, Origins } from '../backlog/origin.ts';
import { requireFunction } from '../contract/check-options.ts';
import type { UserCode } from '../contract/user-code.ts';
import type { WorkQueueObserver } from '../contract/work-queue-observer.ts';
import type { HeldItem } from './held-item.ts';
import type { HeldItems } from './held-items.ts';

/** The parts of a queue whose sources change. */
export interface SourceChangesOptions<Item, Cause, Source> {
  readonly table: EntryTable<Item, Cause, Source>;
  readonly heldItems: HeldItems<Item, Cause, Source>;
  readonly backlog: Backlog<Item, Cause, Source>;
  readonly origins: Origins<Cause, Source>;
  readonly observer: WorkQueueObserver | undefined;
  readonly userCode: UserCode;
  /** Called when entries may have been purged. */
  readonly onChange: () => void;
}

/** Returns the causes that replace a cause of an item. The cause is `undefined` if the entry keeps only its source. */
export type HeirsOf<Item, Cause> = (item: Item, cause: Cause | undefined) => readonly Cause[];

/** Withdraws and replaces the sources of queued and held items, and purges items. */
export class SourceChanges<Item, Cause, Source> {
  readonly #options: SourceChangesOptions<Item, Cause, Source>;

  constructor(options: SourceChangesOptions<Item, Cause, Source>) {
    this.#options = options;
  }

  /** The held items with a cause of a matching source, even if the source was withdrawn later. */
  heldFor(matches: (source: Source) => boolean): HeldItem<Item, Cause, Source>[] {
    requireFunction('processingFor.matches', matches);
    const { heldItems, origins } = this.#options;
    return [...heldItems].filter(({ initialOrigin }) => origins.has(initialOrigin, matches));
  }

  /** Withdraws the matching sources. Returns the number of purged entries. */
  withdraw(matches: (source: Source) => boolean): number {
    requireFunction('withdraw.matches', matches);
    const { table, heldItems, origins, userCode } = this.#options;
    userCode.refuseReentry();
    const held = Array.from(heldItems, ({ origin }) => origin);
    return this.#apply(origins.reduceAll([...table.origins, ...held], matches));
  }

  /** Replaces the causes of the matching sources. Returns the number of entries that are purged without an heir. */
  reassign(matches: (source: Source) => boolean, heirsOf: HeirsOf<Item, Cause>): number {
    requireFunction('reassign.matches', matches);
    requireFunction('reassign.heirsOf', heirsOf);
    const { table, heldItems, origins, userCode } = this.#options;
    userCode.refuseReentry();
    const left = new Map<Origin<Cause, Source>, Origin<Cause, Source>>();
    // A copy, because `heirsOf` may call the queue.
    const known = Array.from(heldItems, ({ item, origin }) => ({ item, origin }));
    for (const [slot, origin] of table.origins.entries()) {
      known.push({ item: table.items[slot] as Item, origin });
    }
    for (const { item, origin } of known) {
      if (origin === undefined) continue;
      const replaced = origins.replaced(origin, matches, (cause) => heirsOf(item, cause));
      if (replaced !== origin) left.set(origin, replaced);
    }
    return this.#apply(left);
  }

  /** Purges the queued entries of the matching items. Returns their number. */
  purge(matches: (item: Item) => boolean): number {
    requireFunction('purge.matches', matches);
    const { table, backlog, userCode } = this.#options;
    userCode.refuseReentry();
    // A copy, because `matches` may call the queue.
    const known = [...table.items.entries()].filter(([slot]) => table.hasEntry(slot));
    const queued = known.map(([slot, item]) => ({ key: table.keys[slot], item: item as Item }));
    const unwanted = new Set(queued.filter(({ item }) => matches(item)).map(({ key }) => key));
    return this.#purged(backlog.purge(unwanted));
  }

  /** Sets the new origins. It calls no code of the user. */
  #apply(left: ReadonlyMap<Origin<Cause, Source>, Origin<Cause, Source>>): number {
    const { heldItems, backlog } = this.#options;
    for (const item of heldItems) item.reduce(left);
    return this.#purged(backlog.withdraw(left));
  }

  #purged(purged: number): number {
    const { backlog, observer, onChange } = this.#options;
    if (purged > 0) observer?.purged?.(purged);
    backlog.shrink();
    onChange();
    return purged;
  }
}
