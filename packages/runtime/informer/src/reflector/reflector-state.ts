import type { ListCause, RestartCause } from '../contract/informer-observer.ts';

/** A state in which the reflector must read all objects. */
export interface Relisting {
  /** Choosing between WatchList and LIST. */
  readonly name: 'relisting';
  readonly cause: ListCause;
}

/**
 * A state in which the reflector compares the last seen version with that of the server, because a watch may have
 * missed events.
 */
export interface ComparingState {
  /** Checking that the server has reached the version, or comparing it with the server's newest version. */
  readonly name: 'checking' | 'comparing';
  readonly cause: RestartCause;
}

/** Waiting for a delay. `wake` ends it early for a parked watch, and the source when the server responds again. */
export interface WaitingState {
  readonly name: 'waiting';
  readonly delay: number;
  readonly next: ReflectorState;
  /** The error after which the server may be away; `undefined` if the delay has another reason. */
  readonly failure?: Error | undefined;
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
  | ComparingState
  | WaitingState;
