import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';

/** The garbage collections of a span. */
export interface Collections {
  readonly major: number;
  readonly minor: number;
}

/** Counts the garbage collections of this process from its creation on. */
export class CollectionCount {
  #major = 0;
  #minor = 0;
  readonly #observer = new PerformanceObserver((list) => this.#add(list.getEntries()));

  constructor() {
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  /** Stops counting, after Node.js has reported the collections before this call. */
  async stop(): Promise<Collections> {
    for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    this.#add(this.#observer.takeRecords());
    this.#observer.disconnect();
    return { major: this.#major, minor: this.#minor };
  }

  #add(entries: readonly PerformanceEntry[]): void {
    for (const entry of entries) {
      const { detail } = entry as PerformanceEntry & {
        readonly detail: { kind: number };
      };
      const { kind } = detail;
      if (kind === constants.NODE_PERFORMANCE_GC_MAJOR) this.#major += 1;
      if (kind === constants.NODE_PERFORMANCE_GC_MINOR) this.#minor += 1;
    }
  }
}
