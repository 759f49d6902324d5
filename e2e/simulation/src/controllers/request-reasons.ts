/** The reason of runs that the controller itself requests, which no removal withdraws. */
export const OWN = 'controller';

/** Why each request of a controller is queued: the sources that requested it and were not removed. */
export class RequestReasons {
  readonly #queued = new Map<string, Set<string>>();

  /** A source requested a run. */
  add(key: string, source: string): void {
    const sources = this.#queued.get(key);
    if (sources === undefined) this.#queued.set(key, new Set([source]));
    else sources.add(source);
  }

  has(key: string): boolean {
    return this.#queued.has(key);
  }

  /** A run begins: it has all reasons so far. */
  take(key: string): ReadonlySet<string> | undefined {
    const sources = this.#queued.get(key);
    this.#queued.delete(key);
    return sources;
  }

  /** The requests of a source may belong to others from now on, which the model does not know. */
  pass(source: string): void {
    for (const sources of this.#queued.values()) {
      if (sources.has(source) || sources.has(`retry ${source}`)) sources.add(OWN);
    }
  }

  /** A source was removed. A request without another source is dropped. */
  withdraw(source: string): void {
    for (const [key, sources] of this.#queued) {
      sources.delete(source);
      sources.delete(`retry ${source}`);
      if (sources.size === 0) this.#queued.delete(key);
    }
  }
}

/** Returns reasons without the mark of a retry. */
export function withoutRetry(reasons: ReadonlySet<string>): Set<string> {
  return new Set(Array.from(reasons, (reason) => reason.replace(/^retry /, '')));
}
