import type { KindSource } from '../sources/kind-source.ts';

/** The watches that replace others, by their namespaces. */
export class ComingWatches<Q extends object> {
  readonly #all: readonly KindSource<Q>[];
  /** The positions of the watches of each namespace; `undefined` is that of watches of all namespaces. */
  readonly #byNamespace = new Map<string | undefined, number[]>();
  /** The watches that reach each namespace. */
  readonly #reaching = new Map<string, readonly KindSource<Q>[]>();
  readonly #ofAllNamespaces: readonly KindSource<Q>[];

  constructor(all: readonly KindSource<Q>[]) {
    this.#all = all;
    for (const [at, { objects }] of all.entries()) {
      const positions = this.#byNamespace.get(objects.namespace);
      if (positions === undefined) this.#byNamespace.set(objects.namespace, [at]);
      else positions.push(at);
    }
    this.#ofAllNamespaces = this.#at(this.#byNamespace.get(undefined) ?? []);
  }

  /** Returns the watches that reach a namespace of a former one, in their order. Equal results are one list. */
  reaching({ objects: { namespace } }: KindSource<Q>): readonly KindSource<Q>[] {
    if (namespace === undefined) return this.#all;
    const known = this.#reaching.get(namespace) ?? this.#in(namespace);
    this.#reaching.set(namespace, known);
    return known;
  }

  #in(namespace: string): readonly KindSource<Q>[] {
    const own = this.#byNamespace.get(namespace);
    if (own === undefined) return this.#ofAllNamespaces;
    const others = this.#byNamespace.get(undefined) ?? [];
    return this.#at([...others, ...own].toSorted(byNumber));
  }

  #at(positions: readonly number[]): readonly KindSource<Q>[] {
    return positions.flatMap((at) => this.#all[at] ?? []);
  }
}

function byNumber(a: number, b: number): number {
  return a - b;
}
