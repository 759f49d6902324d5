import { CliError } from '../../errors.ts';
import { printedError } from '../../terminal/printed-error.ts';

/** `skipped`: the check needs the value of a check that failed, or there is nothing to check. */
export type CheckStatus = 'ok' | 'warning' | 'failed' | 'skipped';

/** A line of the report. */
export interface CheckResult {
  readonly name: string;
  readonly status: CheckStatus;
  /** The facts that the check found. */
  readonly detail: string;
  /** The change that makes the check succeed; only with `warning` and `failed`. */
  readonly cure?: string;
}

/** A result without the name of its check. */
export type Outcome = Omit<CheckResult, 'name'>;

/** The results of a check, with the value that later checks need. */
export interface Finding<T> {
  readonly outcomes: readonly Outcome[];
  readonly value?: T;
}

/** A check with the cure for an error that it throws. */
export interface Check<T> {
  readonly name: string;
  readonly cure: string;
  /** `signal` aborts at the end of the time limit. */
  run(signal: AbortSignal): Promise<Finding<T>>;
}

/** The options of a runner. */
export interface CheckRunnerOptions {
  /** The time limit of each check, in milliseconds. */
  readonly timeout: number;
  readonly onResult: (result: CheckResult) => void;
}

/** Runs checks. A check that throws or exceeds its time limit is a failed check. */
export class CheckRunner {
  readonly #options: CheckRunnerOptions;

  constructor(options: CheckRunnerOptions) {
    this.#options = options;
  }

  /** Returns the value of the check; undefined if it failed. */
  async run<T>(check: Check<T>): Promise<T | undefined> {
    const { name, cure } = check;
    try {
      const { outcomes, value } = await this.#bounded(check);
      for (const outcome of outcomes) this.#options.onResult({ name, ...outcome });
      return value;
    } catch (error) {
      this.#options.onResult({ name, status: 'failed', detail: printedError(error), cure });
      return undefined;
    }
  }

  /** Reports a check that needs a value which is missing. */
  skip(name: string, needs: string): void {
    this.#options.onResult({ name, status: 'skipped', detail: `needs the check ${needs}` });
  }

  async #bounded<T>(check: Check<T>): Promise<Finding<T>> {
    const { timeout } = this.#options;
    const { promise, reject } = Promise.withResolvers<never>();
    const abort = new AbortController();
    const timer = setTimeout(() => {
      const error = new CliError('CHECK_TIMEOUT', { check: check.name, timeout });
      abort.abort(error);
      reject(error);
    }, timeout);
    try {
      return await Promise.race([check.run(abort.signal), promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Returns the finding of one result. */
export function found<T>(status: CheckStatus, detail: string, cure?: string): Finding<T> {
  return { outcomes: [{ status, detail, ...(cure === undefined ? {} : { cure }) }] };
}
