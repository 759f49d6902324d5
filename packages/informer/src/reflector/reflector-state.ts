import type { ListCause, RestartCause } from '../contract/informer-observer.ts';

/** The reflector must read the whole state. */
export interface Relisting {
  /** Choosing between WatchList and LIST. */
  readonly name: 'relisting';
  readonly cause: ListCause;
}

/** The next action of a reflector. One step runs it and returns the state that follows. */
export type ReflectorState =
  | Relisting
  /** Opening a watch that starts with the whole state (WatchList) and continues with changes. */
  | { readonly name: 'watch-listing'; readonly cause: ListCause }
  /** Reading the whole state by LIST. */
  | { readonly name: 'listing'; readonly cause: ListCause }
  /** Receiving changes from the last seen version. */
  | { readonly name: 'watching'; readonly cause: RestartCause | undefined }
  /** Checking whether the server has reached the last seen version. */
  | { readonly name: 'checking'; readonly cause: RestartCause }
  /** Waiting for a delay. `wake` ends it early for a parked watch. */
  | { readonly name: 'waiting'; readonly delay: number; readonly next: ReflectorState };
