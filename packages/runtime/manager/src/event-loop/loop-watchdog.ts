import type { BlockedSpan } from './blocked-span.ts';

/** A check, and the time since the last one. */
export interface LateCheck extends BlockedSpan {
  /** Milliseconds by which the check is late. */
  readonly lateMs: number;
  /** Milliseconds of CPU time that the process used. */
  readonly cpuMs: number;
}

export interface LoopWatchdogOptions {
  /** Milliseconds between two checks. */
  readonly interval: number;
  readonly now: () => number;
  /** Called at each check. Returns false to end the checks. */
  readonly check: (check: LateCheck) => boolean;
}

/**
 * Measures how late a timer fires: only code that blocks the event loop can delay it. The timer does not keep the
 * process alive.
 */
export class LoopWatchdog {
  readonly #options: LoopWatchdogOptions;
  /** True while the checks run. */
  isOn = false;
  #timer: NodeJS.Timeout | undefined;
  #checkedAt = 0;
  #cpu: NodeJS.CpuUsage | undefined;

  constructor(options: LoopWatchdogOptions) {
    this.#options = options;
  }

  /** Begins the checks. Has no effect if they have begun. */
  start(): void {
    if (this.isOn) return;
    this.isOn = true;
    this.#begin();
    this.#timer = setInterval(() => this.#check(), this.#options.interval).unref();
  }

  stop(): void {
    this.isOn = false;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #begin(): void {
    this.#checkedAt = this.#options.now();
    this.#cpu = process.cpuUsage();
  }

  #check(): void {
    const { interval, now, check } = this.#options;
    const startedAt = this.#checkedAt;
    const endedAt = now();
    const { user, system } = process.cpuUsage(this.#cpu);
    this.#begin();
    const cpuMs = (user + system) / 1000;
    const lateMs = endedAt - startedAt - interval;
    if (!check({ startedAt, endedAt, lateMs, cpuMs })) this.stop();
  }
}
