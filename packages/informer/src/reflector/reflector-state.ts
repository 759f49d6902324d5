import type { ListCause, RestartCause } from '../contract/informer-observer.ts';

/** The whole state is to be read, and why. */
export interface Relisting {
  /** Choosing how to read the whole state: as a watch, or by LIST where the server cannot do that. */
  readonly name: 'relisting';
  readonly cause: ListCause;
}

/** What a reflector is about to do; one step does it and says what is next. */
export type ReflectorState =
  | Relisting
  /** Opening a watch that begins with the whole state (WatchList) and goes on with the changes. */
  | { readonly name: 'watch-listing'; readonly cause: ListCause }
  /** Reading the whole state by LIST. */
  | { readonly name: 'listing'; readonly cause: ListCause }
  /** Following the changes from the version last seen. */
  | { readonly name: 'watching'; readonly cause: RestartCause | undefined }
  /** Asking whether the server has come as far as the version last seen. */
  | { readonly name: 'asking'; readonly cause: RestartCause }
  /** Letting time pass; can be cut short by news that the kind is served. */
  | { readonly name: 'waiting'; readonly delay: number; readonly next: ReflectorState };
