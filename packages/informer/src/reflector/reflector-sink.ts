import type { Frame } from '@keelson/apimachinery';

/** A whole new state on its way in. Nothing of it is seen before `commit`; dropping it is harmless. */
export interface Replacement {
  put(frame: Frame): void;
  delete(frame: Frame): void;
  /** Swaps the state in and announces the differences; resolves when everybody has been told. */
  commit(resourceVersion: string, receivedAt: number): Promise<void>;
}

/** Where a reflector puts what it reads. */
export interface ReflectorSink {
  replacement(): Replacement;
  /**
   * One change. Returns the object's resourceVersion, or `undefined` for a frame that was skipped.
   * Throws `WATCH_WENT_BACK`, and changes nothing, when the version is older than what is there.
   */
  apply(frame: Frame, receivedAt: number): string | undefined;
  /** The server says that nothing else has changed up to this version. Throws `WATCH_WENT_BACK` too. */
  progress(resourceVersion: string): void;
  /** The server has another past now: an object of the same version may be another state of it. */
  forgetVersions(): void;
  /** The versions of this server have no order: none is held to be older than another any more. */
  distrustVersions(): void;
}
