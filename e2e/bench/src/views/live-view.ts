import type { Address } from '../servers/protocol.ts';

/** The facts about a pod that the handler of each contender receives. */
export interface SeenMetadata {
  readonly resourceVersion?: string | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

export interface LiveViewOptions {
  readonly server: Address;
  readonly tls: boolean;
  /** False for watches over HTTP/1.1. Default: HTTP/2, if the server supports it. */
  readonly http2?: boolean;
  /** The number of handles of Keelson's cache. Default 1. */
  readonly handles?: number;
  /** The number of handlers, of each handle; each one is `onEvent`. */
  readonly handlers: number;
  /** True for handlers of Keelson that may keep the views of their events. Default: they read them during the call. */
  readonly keepsViews?: boolean;
  /** Called by each handler for each pod and each of its changes. */
  readonly onEvent: (metadata: SeenMetadata) => void;
}

/** A contender of the list and watch cases. It keeps a copy of all pods. */
export interface LiveView {
  /** Resolves when every handler has received every pod. */
  start(): Promise<void>;
  size(): number;
}

export type LiveViewFactory = (options: LiveViewOptions) => Promise<LiveView> | LiveView;
