import type { Frame } from '@keelson/wire';
import type { ListCause, RestartCause } from '../contract/informer-observer.ts';

/**
 * A new state that the reflector is reading. Readers see it only after `commit`; a replacement without a commit has no
 * effect.
 */
export interface Replacement {
  /** Returns true if the new state already had an object of this name. */
  put(frame: Frame): boolean;
  delete(frame: Frame): void;
  /**
   * Swaps the state in and emits the differences. Resolves when every handler has received them.
   */
  commit(resourceVersion: string, receivedAt: number): Promise<void>;
}

/** The target of a reflector. */
export interface ReflectorSink {
  replacement(): Replacement;
  /**
   * Applies one change. Returns the resourceVersion of the object, or `undefined` for a frame that
   * was skipped. Throws `WATCH_WENT_BACK` without a change if the version is older than that of the
   * store.
   */
  apply(frame: Frame, receivedAt: number): string | undefined;
  /**
   * Advances the store to the version of a bookmark. Throws `WATCH_WENT_BACK` if it is older than
   * that of the store.
   */
  progress(resourceVersion: string): void;
  /** Records that the server was restored or replaced: an object with an equal version may be a different state. */
  forgetVersions(): void;
  /** Records that the versions of the server have no order, so that none counts as older than another. */
  distrustVersions(): void;
}

/** Receives the measurements of a reflector. */
export interface ReflectorObserver {
  listing(cause: ListCause): void;
  restarting(cause: RestartCause): void;
  error(error: Error): void;
  /** The loop threw an unexpected error and continues. */
  loopRestarted(error: unknown): void;
}
