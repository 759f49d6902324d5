/** The delays after failures that the controllers of the simulation have, in milliseconds. */
export const BACKOFF = { base: 2_000, max: 60_000 } as const;

interface Window {
  readonly exponent: number;
  readonly deadline: number;
  earlyRuns: number;
}

/** Decides when a request that failed may run again (DESIGN §4 rule 7). */
export class BackoffModel {
  readonly #windows = new Map<string, Window>();
  readonly #uncertain = new Set<string>();

  /** A run begins. Returns what is wrong with its time; `undefined` if nothing is. */
  begin(key: string, now: number, wasAsked: boolean): string | undefined {
    const window = this.#windows.get(key);
    if (window === undefined || now >= window.deadline) return undefined;
    const early = `${Math.round(window.deadline - now)} ms before the end of its backoff`;
    if (!wasAsked) return `it runs ${early}, and nothing requested it`;
    return window.earlyRuns++ === 0 ? undefined : `it runs a second time, ${early}`;
  }

  fail(key: string, now: number): void {
    if (this.#uncertain.has(key)) return;
    const window = this.#windows.get(key);
    if (window !== undefined && now < window.deadline) return;
    const exponent = (window?.exponent ?? -1) + 1;
    const deadline = now + Math.min(BACKOFF.base * 2 ** exponent, BACKOFF.max);
    this.#windows.set(key, { exponent, deadline, earlyRuns: 0 });
  }

  forget(key: string): void {
    this.#windows.delete(key);
    this.#uncertain.delete(key);
  }

  /** A removal may reset the backoff of requests: nothing is known about them until they succeed. */
  doubtAll(): void {
    for (const key of this.#windows.keys()) this.#uncertain.add(key);
    this.#windows.clear();
  }
}
