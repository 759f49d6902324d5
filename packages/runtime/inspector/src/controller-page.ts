/** A request with its latest runs in short. */
export interface RequestRow {
  readonly request: string;
  /** When its latest run began, in milliseconds since 1970; `undefined` if no run is known. */
  readonly lastRunAt: number | undefined;
  /** Milliseconds of the slowest run that is known; `undefined` without one that has ended. */
  readonly slowestMs: number | undefined;
  /** The number of failures in a row. */
  readonly failures: number;
  /** The error of the latest run that is known to have failed. */
  readonly error: string | undefined;
}

/** The requests of a controller that its history knows. */
export interface ControllerPage {
  readonly controller: string;
  /** The explanation as text. */
  readonly text: string;
  /** The requests with the slowest runs, slowest first. */
  readonly slowest: readonly RequestRow[];
  /** The requests with most failures in a row. */
  readonly failing: readonly RequestRow[];
  /** The requests that match the filter, latest run first. */
  readonly matching: readonly RequestRow[];
  /** The number of all requests that match. */
  readonly matches: number;
  /** False if the controller keeps no history (`historyBytes: 0`). */
  readonly hasHistory: boolean;
}
