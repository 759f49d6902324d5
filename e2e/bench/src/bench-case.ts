import type { JobOptions, RealServerOptions, ServerOptions } from './protocol.ts';

/**
 * Who is measured: Keelson, its peers in Node and in Go (whose objects travel as JSON or as protobuf),
 * and the least that any code must do for the same work.
 */
export type Side = 'keelson' | 'clientNode' | 'limit' | 'clientGo' | 'clientGoProtobuf';

/** A line of the results: one of the numbers that a case's contenders report. */
export interface Row {
  readonly case: string;
  readonly metric: string;
  readonly unit: string;
}

/** A contender in Node: a job in a process of its own. */
export interface JobContender {
  readonly job: string;
  readonly options: JobOptions;
  /** It is known to break here: once it does it is not tried again, and its column stays empty. */
  readonly mayFail?: boolean;
}

/** A contender in Go: a scenario of the program `peers`. */
export interface PeerContender {
  readonly peer: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

export type Contender = JobContender | PeerContender;

/** One thing to measure: some contenders, each in a process of its own, and what to keep of it. */
export interface BenchCase {
  /** What `--only` matches; the rows' names begin with it or say what else the run yields. */
  readonly name: string;
  readonly server?: ServerOptions | RealServerOptions;
  readonly sides: Readonly<Partial<Record<Side, Contender>>>;
  readonly runs: number;
  readonly rows: readonly Row[];
}
