import { objectKey, type Clock, type ObjectKey, type ObjectName } from '@keelson/apimachinery';
import type { InformerObserver, WatchIdentity } from '../contract/informer-observer.ts';
import { hasReached, isOlder } from '../reflector/resource-version.ts';
import type { Store } from '../store/store.ts';
import type { StoredObject } from '../store/stored-object.ts';
import { OverlayEntries, type Arrival, type Entry, type WrittenState } from './overlay-entries.ts';
import type { DeletedObject, OwnWrite } from './own-write.ts';
import { RecentDeletions } from './recent-deletions.ts';
import type { WriteKeeper } from './write-keeper.ts';
import { WriteScope } from './write-scope.ts';

/** The watch under an overlay. */
export interface OverlaidWatch {
  readonly identity: WatchIdentity;
  readonly store: Store;
  /** False if the versions of the server have no order. */
  readonly isOrdered: boolean;
}

export interface OverlayOptions {
  readonly watch: OverlaidWatch;
  readonly keeper: WriteKeeper;
  readonly observer: InformerObserver;
  /** Returns another number after the server was replaced or restored from a backup. */
  readonly epoch: () => number;
  readonly now: () => number;
  /** Starts the timers. Default: the clock of the system. */
  readonly clock?: Clock | undefined;
  /** Called when readers no longer see a write that the watch has not reached. */
  readonly onLost: (object: { readonly key: ObjectKey }) => void;
}

/**
 * The differences between the objects that readers see and those of the store: stored objects to hide, and others to
 * show.
 */
export interface OverlayDifference {
  readonly hidden: ReadonlySet<StoredObject>;
  readonly shown: readonly StoredObject[];
}

/**
 * The own writes that a watch has not reached. Readers see them instead of the objects of the store, which only the
 * watch changes.
 *
 * - A written state counts while its version is later than that of the store, which is the version of the last event,
 *   bookmark or list. So it never hides a later state or deletion that the store has.
 * - A deletion counts for one uid, which the server never uses again.
 * - No entry counts if the versions of the server have no order.
 */
export class Overlay {
  readonly #options: OverlayOptions;
  readonly #scope: WriteScope;
  /** The own writes that count or may count. Most watches have none, which a read and an event check first. */
  readonly entries: OverlayEntries;
  readonly #recent = new RecentDeletions();

  constructor(options: OverlayOptions) {
    const { watch, keeper, observer, now, clock, onLost } = options;
    this.#options = options;
    this.#scope = new WriteScope(watch.identity.query);
    this.entries = new OverlayEntries({
      now,
      clock,
      onEnd: (cause, entry) => {
        observer.ownWriteEnded?.(watch.identity, cause, now() - entry.at);
        if (cause === 'expired' || cause === 'evicted') onLost({ key: keyOf(entry) });
      },
      onUnused: (object) => keeper.discard(object),
    });
  }

  /**
   * Records a state that the server returned. Returns false if the watch has that state or a later
   * one, or never has the object.
   */
  written(write: OwnWrite, arrival: Arrival = this.#arrival()): boolean {
    if (!this.#isNews(write)) return false;
    const isSelected = this.#scope.selects(write);
    const object = isSelected ? this.#options.keeper.keep(write) : undefined;
    // The transform failed, so the watch will skip this state too.
    if (isSelected && object === undefined) return false;
    this.entries.addState({ epoch: arrival.epoch, at: arrival.at, write, object });
    return true;
  }

  /** Records that an object no longer exists. Returns false if the watch has seen the deletion. */
  deleted(deleted: DeletedObject, arrival: Arrival = this.#arrival()): boolean {
    const { uid } = deleted;
    if (!this.#scope.concerns(deleted) || !this.#options.watch.isOrdered) return false;
    if (this.#recent.has(uid) || this.entries.deletionOf(uid) !== undefined) return false;
    this.entries.addDeletion({ epoch: arrival.epoch, at: arrival.at, deleted });
    return true;
  }

  /** Adds the own writes of another watch of the kind, because its handles may move to this one. */
  adopt(other: Overlay): void {
    for (const deletion of other.entries.deletions) this.deleted(deletion.deleted, deletion);
    for (const state of other.entries.states) {
      for (const each of [...state.replaced, state]) this.written(each.write, each);
    }
  }

  /** Returns the object that readers see. `stored` is that of the store. */
  find(name: ObjectName, stored: StoredObject | undefined): StoredObject | undefined {
    if (!this.#options.watch.isOrdered) return stored;
    const state = this.entries.stateOf(objectKey(name));
    const object = state !== undefined && this.#counts(state) ? state.object : stored;
    return object !== undefined && this.#isDeleted(object) ? undefined : object;
  }

  /** Returns the differences that a read of many objects must apply to the store. */
  difference(): OverlayDifference {
    const { store } = this.#options.watch;
    const hidden = new Set<StoredObject>();
    const shown: StoredObject[] = [];
    for (const name of this.entries.names()) {
      const stored = store.find(name);
      const object = this.find(name, stored);
      if (object === stored) continue;
      if (stored !== undefined) hidden.add(stored);
      if (object !== undefined) shown.push(object);
    }
    return { hidden, shown };
  }

  /** Returns every state that readers saw and that the watch has not reached, in the order of their versions. */
  pending(): readonly StoredObject[] {
    return this.#ahead().flatMap(({ object }) => object ?? []);
  }

  /**
   * Returns the own writes that count in another watch and that this watch has passed. The objects have the form in
   * which this watch keeps them.
   */
  passedOf(other: Overlay): readonly StoredObject[] {
    return other.#ahead().flatMap(({ write }) => {
      if (this.#isAhead(write.resourceVersion) || !this.#selects(write)) return [];
      const object = this.#options.keeper.keep(write);
      if (object === undefined) return [];
      // The object is not stored; only events refer to it.
      this.#options.keeper.discard(object);
      return [object];
    });
  }

  /** Called after each change of the version of the store: ends the states that it has reached. */
  progressed(): void {
    for (const state of this.entries.states) {
      if (this.#counts(state)) break;
      this.entries.end(state, 'reached');
    }
    for (const deletion of this.entries.deletions) {
      if (this.#isOfPresent(deletion)) break;
      this.entries.end(deletion, 'reached');
    }
  }

  /** Called when an object has left the store. */
  removed({ uid }: StoredObject): void {
    // The object may still exist: it left the selector, and may match it again.
    if (!this.#scope.isLasting) return;
    this.#recent.add(uid);
    const deletion = this.entries.deletionOf(uid);
    if (deletion !== undefined) this.entries.end(deletion, 'reached');
  }

  /** Drops all entries, because the watch has ended. */
  close(): void {
    this.entries.close();
    this.#options.keeper.close();
  }

  /** True for a state that the watch can have and that is newer than the store and than the known own write. */
  #isNews({ name, key, resourceVersion }: OwnWrite): boolean {
    const { isOrdered } = this.#options.watch;
    if (!this.#scope.concerns(name) || !isOrdered || !hasReached(resourceVersion, '1'))
      return false;
    if (!this.#isAhead(resourceVersion)) return false;
    const known = this.entries.stateOf(key);
    return (
      known === undefined ||
      !this.#isOfPresent(known) ||
      isOlder(known.write.resourceVersion, resourceVersion)
    );
  }

  /**
   * Returns the states that readers see, and the replaced ones that they saw before and that the watch has not reached
   * either.
   */
  #ahead(): WrittenState[] {
    return [...this.entries.states]
      .flatMap((state) => [...state.replaced, state])
      .filter((state) => this.#counts(state));
  }

  #selects(write: OwnWrite): boolean {
    return this.#scope.concerns(write.name) && this.#scope.selects(write);
  }

  #counts(state: WrittenState): boolean {
    const { isOrdered } = this.#options.watch;
    return isOrdered && this.#isOfPresent(state) && this.#isAhead(state.write.resourceVersion);
  }

  /** True if the store has not reached the version. */
  #isAhead(version: string): boolean {
    const reached = this.#options.watch.store.resourceVersion;
    return reached === '' || isOlder(reached, version);
  }

  /** False for an entry from before the server was replaced or restored from a backup. */
  #isOfPresent({ epoch }: Arrival): boolean {
    return epoch === this.#options.epoch();
  }

  /**
   * True if the object was deleted. False for a version later than the one that was deleted, because the object then
   * still exists.
   */
  #isDeleted({ uid, resourceVersion }: Pick<StoredObject, 'uid' | 'resourceVersion'>): boolean {
    const deletion = this.entries.deletionOf(uid);
    if (deletion === undefined || !this.#isOfPresent(deletion)) return false;
    const last = deletion.deleted.resourceVersion;
    return last === undefined || !isOlder(last, resourceVersion);
  }

  #arrival(): Arrival {
    return { epoch: this.#options.epoch(), at: this.#options.now() };
  }
}

function keyOf(entry: Entry): ObjectKey {
  return 'deleted' in entry ? objectKey(entry.deleted) : entry.write.key;
}
