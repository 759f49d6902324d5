import { abortable, pause, systemClock, type Clock } from '@keelson/apimachinery';

/** Milliseconds between the starts of two probes, of which there is never more than one a second. */
const PROBE_INTERVAL_MS = 1_000;
/** The interval is longer by a random time up to this one, in milliseconds. */
const JITTER_MS = 50;
/** Milliseconds after which a probe without a response has failed. */
const PROBE_TIMEOUT_MS = 2_000;
/** The longest `Retry-After` in milliseconds that a probe respects, because an outage may end earlier. */
const MAX_RETRY_AFTER_MS = 30_000;
/** Milliseconds between two waits that end after a probe succeeded. */
const MS_APART = 2;
/** All waits end within this time in milliseconds after the probe. */
const SPREAD_MS = 300;
/**
 * Milliseconds after waits have ended until further waits may end without a failed probe between them. Otherwise a
 * server that is ready, but breaks the watches, would receive them every second.
 */
const SETTLE_MS = 10_000;

/** The result of one probe: the server responds, or it asks to wait for this many milliseconds. */
export type ProbeResult = 'ready' | { readonly retryAfter: number };

/** Sends a probe. It rejects without a response. */
export type Probe = (signal: AbortSignal) => Promise<ProbeResult>;

/** The randomness and the clock of a probe. */
export interface ServerProbeOptions {
  readonly random: () => number;
  readonly clock: Clock;
}

/**
 * Finds out when an API server that was away responds again, for all watches and requests of a client. It sends one
 * probe a second while something waits, and none otherwise. The first probe comes after a random part of a second, so
 * that the probes, and with them the watches, of many processes are spread over a second.
 */
export class ServerProbe {
  readonly #probe: Probe;
  readonly #options: ServerProbeOptions;
  readonly #waiting = new Set<() => void>();
  readonly #stopTimers = new Set<() => void>();
  #run: AbortController | undefined;
  #nextAt = -Infinity;
  #releasedAt = -Infinity;
  /** True if a probe has failed since the last waits ended. */
  #hasFailed = false;
  #isAway = false;

  constructor(
    probe: Probe,
    options: ServerProbeOptions = { random: Math.random, clock: systemClock },
  ) {
    this.#probe = probe;
    this.#options = options;
  }

  /** True from the first failure of an outage until a probe succeeds. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /**
   * Resolves when the server, which has just failed to respond, responds again. The wait ends with `signal`; then the
   * promise stays pending.
   */
  async back(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      if (signal.aborted) return;
      const leave = (): void => this.#leave(resolve);
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.add(resolve);
      this.#isAway = true;
      this.#start();
    });
  }

  /** Ends all waits; their promises stay pending. */
  stop(): void {
    this.#waiting.clear();
    for (const stopTimer of this.#stopTimers) stopTimer();
    this.#stopTimers.clear();
    this.#end();
  }

  #now(): number {
    return this.#options.clock.monotonic();
  }

  #leave(resolve: () => void): void {
    this.#waiting.delete(resolve);
    if (this.#waiting.size === 0) this.#end();
  }

  #end(): void {
    this.#run?.abort();
    this.#run = undefined;
  }

  #start(): void {
    if (this.#run !== undefined) return;
    const run = new AbortController();
    this.#run = run;
    const { random } = this.#options;
    const now = this.#now();
    // A probe that was due keeps its time, so that waits that follow each other do not delay it.
    if (this.#nextAt < now) this.#nextAt = now + random() * PROBE_INTERVAL_MS;
    void this.#loop(run.signal);
  }

  /** Probes until the waits end, or until nothing waits any more. */
  async #loop(signal: AbortSignal): Promise<void> {
    try {
      while (this.#run?.signal === signal) {
        await pause(this.#nextAt - this.#now(), [signal], this.#options.clock);
        if (await this.#isReady(signal)) this.#succeeded();
        else this.#hasFailed = true;
      }
    } catch {
      // Nothing waits any more.
    }
  }

  #succeeded(): void {
    const now = this.#now();
    const settledAt = this.#releasedAt + SETTLE_MS;
    if (!this.#hasFailed && now < settledAt) {
      this.#nextAt = settledAt;
      return;
    }
    this.#end();
    this.#isAway = false;
    this.#hasFailed = false;
    this.#releasedAt = now;
    this.#release();
  }

  async #isReady(signal: AbortSignal): Promise<boolean> {
    const { clock, random } = this.#options;
    this.#nextAt = this.#now() + PROBE_INTERVAL_MS + random() * JITTER_MS;
    const timeout = new AbortController();
    const stopTimer = clock.startTimer(PROBE_TIMEOUT_MS, () => timeout.abort());
    try {
      const over = AbortSignal.any([signal, timeout.signal]);
      // A credential plugin or a cluster that is being loaded does not see the signal.
      const result = await abortable(this.#probe(over), [over]);
      if (result === 'ready') return true;
      const retryAfter = Math.min(result.retryAfter, MAX_RETRY_AFTER_MS);
      this.#nextAt = Math.max(this.#nextAt, this.#now() + retryAfter);
    } catch {
      signal.throwIfAborted();
    } finally {
      stopTimer();
    }
    return false;
  }

  /** Ends the waits one after the other, so that the requests do not arrive at once. */
  #release(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    const apart = Math.min(MS_APART, SPREAD_MS / waiting.length);
    for (const [index, resolve] of waiting.entries()) {
      const delay = (index + this.#options.random()) * apart;
      const stopTimer = this.#options.clock.startTimer(delay, () => {
        this.#stopTimers.delete(stopTimer);
        resolve();
      });
      this.#stopTimers.add(stopTimer);
    }
  }
}
