import type { Frame } from '@keelson/wire';
import type { ListCause, RestartCause } from '../contract/informer-observer.ts';

/**
 * A new state while the reflector reads it. Readers see it only after `commit`; a dropped
 * replacement has no effect.
 */
export interface Replacement {
  put(frame: Frame): void;
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
  /**
   * After a restore or a replacement of the server, an object with an equal version may be a
   * different state.
   */
  forgetVersions(): void;
  /** The versions of this server have no order: no version counts as older than another. */
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
