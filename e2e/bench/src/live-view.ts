import type { Address } from './protocol.ts';

/** What a handler of any contender is told of a pod. */
export interface SeenMetadata {
  readonly resourceVersion?: string | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

export interface LiveViewOptions {
  readonly server: Address;
  readonly tls: boolean;
  /** How many times `onEvent` is attached. */
  readonly handlers: number;
  /** Called by each handler for each pod and each of its changes. */
  readonly onEvent: (metadata: SeenMetadata) => void;
}

/** A contender of the list and watch cases: something that keeps a copy of all pods. */
export interface LiveView {
  /** Resolves when every pod is there and every handler has been told of each. */
  start(): Promise<void>;
  size(): number;
}

export type LiveViewFactory = (options: LiveViewOptions) => Promise<LiveView> | LiveView;
