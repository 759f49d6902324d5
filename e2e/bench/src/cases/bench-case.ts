import type { FitSearch } from './largest-fit.ts';
import type { JobOptions, ProcessServerOptions, RealServerOptions } from '../servers/protocol.ts';

/**
 * The programs that are measured: Keelson, its peers in Node.js, Go (with JSON or protobuf) and Rust, the minimal code
 * for the same work, the probe that keeps bytes, and Keelson with watches over HTTP/1.1.
 */
export type Side =
  | 'keelson'
  | 'clientNode'
  | 'limit'
  | 'keepBytes'
  | 'clientGo'
  | 'clientGoProtobuf'
  | 'controllerRuntime'
  | 'kubeRs'
  | 'http1';

/** A line of the results: one of the numbers that a case's contenders report. */
export interface Row {
  readonly case: string;
  readonly metric: string;
  readonly unit: string;
}

/** A contender in Node.js: a job in its own process. */
export interface JobContender {
  readonly job: string;
  readonly options: JobOptions;
  /** Flags of Node.js for its process. */
  readonly flags?: readonly string[];
  /** The contender is known to fail here: after its first failure it is not run again, and its column stays empty. */
  readonly mayFail?: boolean;
}

/** A contender in Go or Rust: a scenario of its program in `e2e/peers`. */
export interface PeerContender {
  readonly language: 'go' | 'rust';
  readonly peer: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

export type Contender = JobContender | PeerContender;

/** A benchmark: its contenders, each in a process of its own, and the results to keep. */
export interface BenchCase {
  /** The name that `--only` selects. The names of its rows begin with it, or name another result of the run. */
  readonly name: string;
  readonly server?: ProcessServerOptions | RealServerOptions;
  readonly sides: Readonly<Partial<Record<Side, Contender>>>;
  readonly runs: number;
  readonly rows: readonly Row[];
  /** Finds the largest number of pods for each contender, instead of one measurement of it. */
  readonly fit?: MemoryFit;
}

/**
 * The search for the largest list of pods with a peak of resident memory up to a limit. The metric `pods` is its result. A
 * contender that fails does not fit.
 */
export interface MemoryFit extends FitSearch {
  readonly megabytes: number;
}
