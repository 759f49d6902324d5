import type { ApiResource, Clock, ObjectKey } from '@keelson/apimachinery';
import type { InformerObserver, WatchIdentity } from '../contract/informer-observer.ts';
import type { ListerWatcher } from '../contract/lister-watcher.ts';
import type { Growth } from '../memory/growth.ts';
import type { Memory } from '../memory/memory.ts';
import type { WatchPart } from '../contract/watch-part.ts';
import type { NamedTransform } from '../contract/watch-query.ts';
import type { ReconnectSpread } from '../reflector/timing/reconnect-spread.ts';
import type { StartSlots } from '../reflector/timing/start-slots.ts';
import type { StoredObject } from '../store/stored-object.ts';
import type { Timeline } from './timeline.ts';
import type { WatchListSupport } from '../reflector/watch-list-support.ts';

/** The waits of a cache for states of single objects. */
export interface ChangeListener {
  /**
   * Called after the handlers of each change of a store, with the new state of the object or the last one. `undefined`
   * while nothing waits.
   */
  readonly objectChanged:
    | ((resource: ApiResource, object: { readonly key: ObjectKey }) => void)
    | undefined;
}

/** The part of a cache that follows the changes of a watch, because it records the own writes that readers see. */
export interface WatchFollower {
  /** The own writes that readers see and that the store has not reached. */
  readonly ownWrites: { readonly size: number };
  /** The views that move to another watch when it is ready. */
  readonly moves: { readonly size: number };
  /** Returns the own writes that readers see and that the store has not reached. */
  pending(): readonly StoredObject[];
  /** Called after the handlers when an object has left the store. */
  removed(object: StoredObject): void;
  /**
   * Called after each change that handlers have received, after each bookmark, and when a handler has received its
   * snapshot or the differences of a move. Need not be called without own writes and moves.
   */
  progressed(): void;
}

/** The properties of one watch, and the parts that all informers of a cache share. */
export interface InformerOptions {
  readonly identity: WatchIdentity;
  readonly transform: NamedTransform | undefined;
  /** The objects that the watch keeps. Default: all. */
  readonly part?: WatchPart | undefined;
  readonly keepManagedFields: boolean;
  readonly listerWatcher: () => ListerWatcher;
  readonly memory: Memory;
  /** Creates the reports of the growth of an informer. Default: its memory has no budget. */
  readonly growth?: (informer: object) => Growth | undefined;
  readonly support: WatchListSupport;
  readonly spread: ReconnectSpread;
  readonly starts: StartSlots;
  /** The number of objects in one page of a list, which depends on the handles. */
  readonly pageSize: () => number;
  /** Shared by all informers of a kind. */
  readonly timeline: Timeline;
  readonly observer: InformerObserver;
  readonly waits: ChangeListener;
  readonly follower: WatchFollower;
  readonly clock: Clock;
}
