/** The facts of a controller. Counts are totals since its start: a reader makes rates of two of them. */
export interface ControllerRow {
  /** The name of the controller. */
  readonly id: string;
  readonly phase: string;
  /** `created`, `filling`, `running`, `stopping` or `stopped`. */
  readonly state: string;
  readonly isPaused: boolean;
  /** Why it runs nothing, or misses events; empty if it works. */
  readonly obstacles: readonly string[];
  /** The number of ready requests, and by priority, highest first. */
  readonly ready: number;
  readonly depths: readonly (readonly [priority: number, requests: number])[];
  readonly concurrency: number;
  readonly running: number;
  /** The reconciles that have run for longest, 20 at most. */
  readonly runs: readonly RunningRequest[];
  /** The number of requests with a history. */
  readonly requests: number;
  readonly reconciles: number;
  readonly errors: number;
  /** Seconds that all reconciles have taken. */
  readonly seconds: number;
  /** The level of its log lines; `undefined` if the logger has none. */
  readonly logLevel: string | undefined;
}

/** A reconcile that runs. */
export interface RunningRequest {
  readonly request: string;
  /** Milliseconds since 1970. */
  readonly since: number;
}

/** The facts of a watch. */
export interface WatchRow {
  /** The cluster and the normal form of the query. */
  readonly id: string;
  /** `undefined` for the main cluster. */
  readonly cluster: string | undefined;
  /** The kind, such as `apps/v1/deployments`. */
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
  readonly projection: string;
  readonly transform: string | undefined;
  readonly state: string;
  readonly reason: string;
  readonly error: string | undefined;
  /** The owners of the handles that it serves, with the number of their handles if it is not 1. */
  readonly holders: readonly string[];
  readonly objects: number;
  readonly bytes: number;
  readonly resourceVersion: string;
  /** When data last arrived, in milliseconds since 1970, to a second; `undefined` before the first. */
  readonly lastEventAt: number | undefined;
}

/** The counts of all watches of a kind since the first of them began. */
export interface KindRow {
  /** The cluster and the kind. */
  readonly id: string;
  readonly cluster: string | undefined;
  readonly resource: string;
  readonly events: number;
  /** The number of lists by cause. */
  readonly lists: Readonly<Record<string, number>>;
  /** The number of streams that were opened again, by cause. */
  readonly restarts: Readonly<Record<string, number>>;
}

/** The facts of the process. */
export interface ProcessRow {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly uptimeSeconds: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
  readonly externalBytes: number;
  /** The delay of the event loop in the last one to two minutes, in milliseconds. */
  readonly loopDelay: { readonly p50: number; readonly p99: number; readonly max: number };
  /** The Lease of the leader election; `undefined` without one. */
  readonly leader: { readonly lease: string; readonly isLeader: boolean } | undefined;
  /** The slots of this replica; `undefined` without sharding. */
  readonly shard:
    | {
        readonly name: string;
        readonly owned: number;
        readonly wanted: number;
        readonly unowned: number;
      }
    | undefined;
  /** True if the server accepts actions. */
  readonly hasActions: boolean;
}

/** Rows that are new or have changed since the last message of a stream, and the ids of those that are gone. */
export interface RowChanges<Row extends { readonly id: string }> {
  readonly set: readonly Row[];
  readonly removed: readonly string[];
}

/** One message of the stream of the overview. The first one of a stream has every row. */
export interface SnapshotMessage {
  readonly process: ProcessRow;
  readonly controllers: RowChanges<ControllerRow>;
  readonly watches: RowChanges<WatchRow>;
  readonly kinds: RowChanges<KindRow>;
}
