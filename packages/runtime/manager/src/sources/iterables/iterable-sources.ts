import type { CauseSet } from '../../reconcile/cause.ts';
import {
  IterableSource,
  type IterableSourceHost,
  type IterableSourceOptions,
  type OpeningPhase,
} from './iterable-source.ts';

/** The async iterables of one controller. Each opens in its phase, or at once if its phase has begun. */
export class IterableSources<Q extends object> {
  #host: IterableSourceHost<Q>;
  readonly #defaultPhase: OpeningPhase;
  readonly all: Set<IterableSource<Q>> = new Set();
  readonly #begun = new Set<OpeningPhase>();

  constructor(
    sources: readonly IterableSourceOptions<Q>[],
    defaultPhase: OpeningPhase,
    host: IterableSourceHost<Q>,
  ) {
    this.#host = host;
    this.#defaultPhase = defaultPhase;
    for (const source of sources) this.#create(source);
  }

  /** Adds a source to a running controller, or to one that will run. */
  add(options: IterableSourceOptions<Q>): IterableSource<Q> {
    const source = this.#create(options);
    if (this.#begun.has(source.phase)) source.start();
    return source;
  }

  /** Applies changed settings to the present sources and to later ones. */
  configure(settings: IterableSourceHost<Q>['settings']): void {
    this.#host = { ...this.#host, settings };
    for (const source of this.all) source.adopt(settings);
  }

  /** Opens the sources of a phase. Rejects with `SOURCE_FAILED`. */
  async consume(phase: OpeningPhase): Promise<void> {
    this.#begun.add(phase);
    const sources = [...this.all].filter((source) => source.phase === phase);
    await Promise.all(sources.map((source) => source.open()));
  }

  /** Ends a source: its further values are ignored. */
  close(source: IterableSource<Q>): void {
    source.close();
    this.all.delete(source);
  }

  closeAll(): void {
    for (const source of this.all) this.close(source);
  }

  /** The request of this key has left the queue. */
  left(key: string): void {
    for (const source of this.all) source.left(key);
  }

  /** The number of requests that wait for a worker, by the name of their source. */
  pending(): ReadonlyMap<string, number> {
    const pending = new Map<string, number>();
    for (const { name, pending: count } of this.all) {
      pending.set(name, (pending.get(name) ?? 0) + count);
    }
    return pending;
  }

  #create(options: IterableSourceOptions<Q>): IterableSource<Q> {
    const source = new IterableSource({ phase: this.#defaultPhase, ...options }, this.#host);
    this.all.add(source);
    return source;
  }
}

/** Returns a source in the form that the removal barrier takes. */
export function removableSource({ causes }: { readonly causes: CauseSet }): {
  readonly causeSets: readonly CauseSet[];
  release(): void;
} {
  return { causeSets: [causes], release: () => undefined };
}
