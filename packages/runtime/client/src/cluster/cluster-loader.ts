import { abortable, CodedError, endsWithin, type Clock } from '@keelson/apimachinery';
import { ClientError } from '../errors.ts';
import type { Cluster } from './cluster.ts';

/** Milliseconds during which the cluster is not loaded again after a load that did not help. */
const INEFFECTIVE_LOAD_PAUSE_MS = 5000;

/** Milliseconds after which a function that has not settled counts as failed. The next request calls it again. */
const LOAD_TIMEOUT_MS = 5 * 60_000;

/**
 * Loads a cluster with the function of the user: for the first request, and again after the server refused its
 * credentials.
 */
export class ClusterLoader {
  readonly #load: () => Promise<Cluster>;
  readonly #clock: Clock;
  readonly #closed: AbortSignal;
  #loading: Promise<unknown> | undefined;
  /** The monotonic time of the last load that did not help, in milliseconds. */
  #ineffectiveAt = -Infinity;

  /** `closed` ends a wait for the function, which may never settle. */
  constructor(
    load: () => Promise<Cluster>,
    { clock, closed }: { readonly clock: Clock; readonly closed: AbortSignal },
  ) {
    this.#load = load;
    this.#clock = clock;
    this.#closed = closed;
  }

  /**
   * Calls the function. Throws `INVALID_CLUSTER` with its error as the cause, or if it does not settle within 5
   * minutes; `CLIENT_CLOSED` if the client is closed before.
   */
  async load(): Promise<Cluster> {
    try {
      const loading = abortable(Promise.resolve(this.#load()), [this.#closed]);
      if (await endsWithin(loading, LOAD_TIMEOUT_MS, this.#clock)) return await loading;
    } catch (cause) {
      if (cause instanceof CodedError) throw cause;
      const reason = 'the cluster function threw an error';
      throw new ClientError('INVALID_CLUSTER', { option: 'cluster', reason }, { cause });
    }
    const reason = 'the cluster function did not settle in time';
    throw new ClientError('INVALID_CLUSTER', { option: 'cluster', reason });
  }

  /**
   * Loads the cluster again and returns the result of `use` for it; `undefined` means that the load did not help.
   * Concurrent callers share one load. After a load that failed or did not help, the next one is possible after 5 s.
   */
  async again<Result>(
    use: (cluster: Cluster) => Promise<Result | undefined>,
  ): Promise<Result | undefined> {
    this.#loading ??= this.#again(use).finally(() => (this.#loading = undefined));
    return this.#loading as Promise<Result | undefined>;
  }

  /** Records that the server refused the credentials of the last load too. */
  recordRefusal(): void {
    this.#ineffectiveAt = this.#clock.monotonic();
  }

  async #again<Result>(
    use: (cluster: Cluster) => Promise<Result | undefined>,
  ): Promise<Result | undefined> {
    if (this.#clock.monotonic() - this.#ineffectiveAt < INEFFECTIVE_LOAD_PAUSE_MS) return undefined;
    let result: Result | undefined;
    try {
      result = await use(await this.load());
      return result;
    } finally {
      if (result === undefined) this.recordRefusal();
    }
  }
}
