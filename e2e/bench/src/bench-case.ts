import type { JobOptions, ServerOptions } from './protocol.ts';

/** Who is measured: Keelson, its peer, and the least that any code must do for the same work. */
export type Side = 'keelson' | 'clientNode' | 'limit';

/** A line of the results: one of the numbers that a case's jobs report. */
export interface Row {
  readonly case: string;
  readonly metric: string;
  readonly unit: string;
}

export interface Contender {
  readonly job: string;
  readonly options: JobOptions;
  /** It is known to break here: once it does it is not tried again, and its column stays empty. */
  readonly mayFail?: boolean;
}

/** One thing to measure: some contenders, each in a process of its own, and what to keep of it. */
export interface BenchCase {
  /** What `--only` matches; the rows' names begin with it or say what else the run yields. */
  readonly name: string;
  readonly server?: ServerOptions;
  readonly sides: Readonly<Partial<Record<Side, Contender>>>;
  readonly runs: number;
  readonly rows: readonly Row[];
}
