/** The pods and events that a fake server renders in advance. */
export interface ServerOptions {
  readonly pods: number;
  /** The number of watch events to render for `burst`. */
  readonly events?: number;
  /** True if the server supports `sendInitialEvents`. Otherwise it rejects the option, as older servers do. */
  readonly watchList?: boolean;
  /** True if the case changes the list, so that a reset renders it again. */
  readonly changes?: boolean;
}

/** An API server in memory with custom kinds, each with this number of objects of 1.2 KB. */
export interface EmbeddedServerOptions {
  readonly embedded: true;
  readonly kinds: number;
  readonly objects: number;
  /** True for HTTP/2 over TLS. */
  readonly tls: boolean;
  /** True if each object of the second kind has the object of the first kind with its number as its controller. */
  readonly isOwned?: boolean;
}

/** A fast server that renders custom resources of 2.2 KB while it sends them, and changes this many of them. */
export interface ThingServerOptions {
  readonly things: number;
  /** The number of changes that `burst` writes. */
  readonly events: number;
}

/** Every server in a process of its own. */
export type ProcessServerOptions = ServerOptions | EmbeddedServerOptions | ThingServerOptions;

/** A kube-apiserver with etcd, and the number of pods that it contains before the first measurement. */
export interface RealServerOptions {
  readonly real: true;
  readonly pods: number;
}

/** The commands of a job to the server. */
export type Command =
  /** Ends every watch and undoes the changes of the last job. */
  | { readonly name: 'reset' }
  /** Writes every rendered event as fast as the socket accepts them; an embedded server changes each object once. */
  | { readonly name: 'burst' }
  | { readonly name: 'pace'; readonly perSecond: number; readonly count: number }
  /** Changes pods without events, then ends the watch: 410 in the stream, 410 at the next watch, or a normal end. */
  | {
      readonly name: 'expire';
      readonly how: 'stream' | 'connect' | 'cut';
      readonly changed: number;
    }
  | { readonly name: 'stats' }
  /** Changes the first objects of an embedded server in turn until the next reset. */
  | { readonly name: 'churn'; readonly perSecond: number; readonly among: number }
  /** Creates ConfigMaps, of which the webhook at this port reviews half, and measures their durations. */
  | {
      readonly name: 'review';
      readonly port: number;
      readonly path: string;
      /** The certificate of the webhook server in PEM. */
      readonly ca: string;
      readonly count: number;
      readonly atOnce: number;
    };

export interface Reply {
  /** The send time by the machine's monotonic clock, in microseconds. */
  readonly at: number;
  readonly lists: number;
  readonly watches: number;
}

/** The address of the server of a case. */
export interface Address {
  readonly url: string;
  readonly tlsUrl: string;
  /** Files with the credentials for a real server; the fake one has no authentication. */
  readonly access?: ServerAccess;
  /** The credentials of an embedded server with TLS, as a Pod and as a kubeconfig have them. */
  readonly account?: { readonly token: string; readonly ca: string; readonly kubeconfig: string };
}

/** The same credentials in the two forms that the contenders read. */
export interface ServerAccess {
  readonly kubeconfig: string;
  /** JSON: a `Cluster` of `@keelson/client`. */
  readonly cluster: string;
}

export type Metrics = Readonly<Record<string, number>>;

/** The options of a job. They are plain data, because they are passed on the command line. */
export type JobOptions = Readonly<Record<string, string | number | boolean>>;

/** The server and the files that a job uses. */
export interface JobContext {
  readonly options: JobOptions;
  /** Controls the fake server of the case; throws in a case without one. */
  readonly server: Address;
  readonly ask: (command: Command) => Promise<Reply>;
}

/** Measures one contender in a process of its own. */
export type Job = (context: JobContext) => Promise<Metrics>;
