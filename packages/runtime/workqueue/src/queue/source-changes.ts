import type { Backlog } from '../backlog/backlog.ts';
import {
  type Entry,
  type EntryTable,
  type HeldItem,
  type HeldItems,
  Place,
} from '../entries/entry-table.ts';
import { originOf, type Heirs, type Origin, type Origins } from '../entries/origin.ts';
import { requireFunction } from '../contract/check-options.ts';
import { requireResult, type UserCode } from '../contract/user-code.ts';

/** The parts of a queue whose sources change. */
export interface SourcedParts<Item, Cause, Source> {
  readonly table: EntryTable<Item, Cause, Source>;
  readonly heldItems: HeldItems<Item, Cause, Source>;
  readonly backlog: Backlog<Item, Cause, Source>;
  readonly origins: Origins<Cause, Source>;
  readonly userCode: UserCode;
}

/**
 * Returns the causes that replace a cause of an item. The cause is `undefined` if the entry has kept only the source of
 * it.
 */
export type HeirsOf<Item, Cause> = (item: Item, cause: Cause | undefined) => readonly Cause[];

/** The entries that left the queue. */
type Dropped<Item, Cause, Source> = readonly Entry<Item, Cause, Source>[];

/** The heirs of each cause of a held item or of the entry of a key. */
type Plans<Cause> = Map<unknown, Map<Cause | undefined, readonly Cause[]>>;

/**
 * Withdraws and replaces the sources of queued and held items, and purges items. The methods return the entries
 * that they dropped, which the queue releases.
 */
export class SourceChanges<Item, Cause, Source> {
  readonly #parts: SourcedParts<Item, Cause, Source>;

  constructor(parts: SourcedParts<Item, Cause, Source>) {
    this.#parts = parts;
  }

  /** The held items with a cause of a matching source, even if the source was withdrawn later. */
  heldFor(matches: (source: Source) => boolean): HeldItem<Item, Cause, Source>[] {
    const { heldItems, origins } = this.#parts;
    const held = [...heldItems];
    const known = held.map(({ initialOrigin }) => initialOrigin);
    const sources = this.#matching('processingFor.matches', matches, known);
    return held.filter(({ initialOrigin }) =>
      [...origins.sourcesOf(initialOrigin)].some((source) => sources.has(source)),
    );
  }

  /** Withdraws the matching sources. */
  withdraw(matches: (source: Source) => boolean): Dropped<Item, Cause, Source> {
    this.#parts.userCode.refuseReentry();
    const sources = this.#matching('withdraw.matches', matches, this.#origins());
    return this.#replace(sources, () => () => []);
  }

  /** Replaces the causes of the matching sources. Drops the entries without an heir. */
  reassign(
    matches: (source: Source) => boolean,
    heirsOf: HeirsOf<Item, Cause>,
  ): Dropped<Item, Cause, Source> {
    requireFunction('reassign.heirsOf', heirsOf);
    this.#parts.userCode.refuseReentry();
    const sources = this.#matching('reassign.matches', matches, this.#origins());
    const plans = this.#planned(sources, heirsOf);
    return this.#replace(sources, (owner) => {
      const plan = plans.get(owner);
      return (cause) => plan?.get(cause);
    });
  }

  /** Drops the queued entries of the matching items. */
  purge(matches: (item: Item, sources: Iterable<Source>) => boolean): Dropped<Item, Cause, Source> {
    requireFunction('purge.matches', matches);
    const { table, backlog, origins, userCode } = this.#parts;
    userCode.refuseReentry();
    // A copy, because `matches` may call the queue.
    const known = [...table.all()].filter(({ place }) => place >= Place.waiting);
    const queued = known.map((entry) => ({ entry, item: entry.item as Item }));
    const unwanted = queued.filter(({ entry, item }) =>
      requireResult('purge.matches', matches(item, origins.sourcesOfEntry(entry))),
    );
    const keys = new Set(unwanted.map(({ entry }) => entry.key));
    return backlog.purge(keys);
  }

  /**
   * Returns the matching sources of these origins. Nothing has changed yet, so `matches` may throw or call the queue. A
   * source that it adds to the queue is not in the result.
   */
  #matching(
    name: string,
    matches: (source: Source) => boolean,
    known: readonly (Origin<Cause, Source> | undefined)[],
  ): ReadonlySet<Source> {
    requireFunction(name, matches);
    const sources = new Set<Source>();
    for (const origin of known) {
      for (const source of this.#parts.origins.sourcesOf(origin)) sources.add(source);
    }
    return new Set([...sources].filter((source) => requireResult(name, matches(source))));
  }

  /**
   * Returns the heirs of each cause, by the held item or the key of its entry. Nothing has changed yet, so `heirsOf`
   * may throw or call the queue.
   */
  #planned(sources: ReadonlySet<Source>, heirsOf: HeirsOf<Item, Cause>): Plans<Cause> {
    const { table, heldItems, origins } = this.#parts;
    const ofEntries = Array.from(table.all(), (entry) => {
      return { owner: entry.key, item: entry.item as Item, origin: originOf(entry) };
    });
    const ofHeld = Array.from(heldItems, (owner) => {
      return { owner, item: owner.item, origin: owner.origin };
    });
    const plans: Plans<Cause> = new Map();
    for (const { owner, item, origin } of [...ofEntries, ...ofHeld]) {
      if (origin === undefined) continue;
      const plan = new Map<Cause | undefined, readonly Cause[]>();
      plans.set(owner, plan);
      origins.replaced(origin, sources, (cause) => {
        const heirs = [...requireResult('reassign.heirsOf', heirsOf(item, cause))];
        plan.set(cause, heirs);
        return heirs;
      });
    }
    return plans;
  }

  /** Replaces the causes of these sources in all present origins. While it runs, user code cannot call the queue. */
  #replace(
    sources: ReadonlySet<Source>,
    heirsOf: (owner: unknown) => Heirs<Cause>,
  ): Dropped<Item, Cause, Source> {
    const { heldItems, backlog, origins } = this.#parts;
    if (sources.size === 0) return [];
    for (const held of heldItems) {
      if (held.origin !== undefined) {
        held.reduce(origins.replaced(held.origin, sources, heirsOf(held)));
      }
    }
    return backlog.withdraw((entry) => {
      const origin = originOf(entry);
      return origin && origins.replaced(origin, sources, heirsOf(entry.key));
    });
  }

  /** The present origins of entries and held items. */
  #origins(): readonly (Origin<Cause, Source> | undefined)[] {
    const { table, heldItems } = this.#parts;
    return [
      ...Array.from(table.all(), (entry) => originOf(entry)),
      ...Array.from(heldItems, ({ origin }) => origin),
    ];
  }
}
