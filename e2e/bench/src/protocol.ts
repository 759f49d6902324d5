/** What a fake server is to hold ready. */
export interface ServerOptions {
  readonly pods: number;
  /** How many watch events to render for `burst`. */
  readonly events?: number;
  /** Answer `sendInitialEvents`; refused without it, as older servers do. */
  readonly watchList?: boolean;
  /** The case changes the list, so a reset renders it anew. */
  readonly changes?: boolean;
}

/** A kube-apiserver with etcd, and how many pods are created in it before anything is measured. */
export interface RealServerOptions {
  readonly real: true;
  readonly pods: number;
}

/** What a job asks of the server while it runs. */
export type Command =
  /** Ends every watch and forgets what the last job did. */
  | { readonly name: 'reset' }
  /** Writes every rendered event as fast as the socket takes them. */
  | { readonly name: 'burst' }
  | { readonly name: 'pace'; readonly perSecond: number; readonly count: number }
  /** Changes pods behind the watch's back, then ends it: 410 in the stream, 410 at the next one, or a plain end. */
  | {
      readonly name: 'expire';
      readonly how: 'stream' | 'connect' | 'cut';
      readonly changed: number;
    }
  | { readonly name: 'stats' };

export interface Reply {
  /** The machine's monotonic clock, microseconds. */
  readonly at: number;
  readonly lists: number;
  readonly watches: number;
}

/** Where the server of a case listens. */
export interface Address {
  readonly url: string;
  readonly tlsUrl: string;
  /** Files with the credentials for a real server; the fake one has no authentication. */
  readonly access?: ServerAccess;
}

/** The same access twice, as each contender takes it. */
export interface ServerAccess {
  readonly kubeconfig: string;
  /** JSON: a `Cluster` of `@keelson/client`. */
  readonly cluster: string;
}

export type Metrics = Readonly<Record<string, number>>;

/** A job's options are plain data: they travel on the command line. */
export type JobOptions = Readonly<Record<string, string | number | boolean>>;

/** What a job may use of the world outside its process. */
export interface JobContext {
  readonly options: JobOptions;
  /** Of the case's fake server; throws in a case without one. */
  readonly server: Address;
  readonly ask: (command: Command) => Promise<Reply>;
}

/** One measurement by one contender, in a process of its own. */
export type Job = (context: JobContext) => Promise<Metrics>;
