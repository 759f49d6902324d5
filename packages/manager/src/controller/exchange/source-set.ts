import { resourceId } from '@keelson/apimachinery';
import { clusterOf, type SourceOptions } from '../sources/source-options.ts';
import type { SourceWatches } from '../sources/source-watches.ts';

/** The sources of a controller in the order of their addition. A kind has few of them, however many kinds there are. */
export class SourceSet<Q extends object> extends Set<SourceWatches<Q>> {
  readonly #byKind = new Map<string, Set<SourceWatches<Q>>>();
  /** The kind of each source when it was added. */
  readonly #kinds = new Map<SourceWatches<Q>, string>();

  override add(source: SourceWatches<Q>): this {
    if (this.has(source)) return this;
    const kind = kindOf(source.options);
    this.#kinds.set(source, kind);
    this.#byKind.set(kind, (this.#byKind.get(kind) ?? new Set()).add(source));
    return super.add(source);
  }

  override delete(source: SourceWatches<Q>): boolean {
    const kind = this.#kinds.get(source);
    if (kind === undefined) return false;
    const others = this.#byKind.get(kind);
    others?.delete(source);
    if (others?.size === 0) this.#byKind.delete(kind);
    this.#kinds.delete(source);
    return super.delete(source);
  }

  /** The sources of the kind and the cluster of these options. */
  ofKind(options: SourceOptions): Iterable<SourceWatches<Q>> {
    return this.#byKind.get(kindOf(options)) ?? [];
  }
}

function kindOf(options: SourceOptions): string {
  return `${resourceId(options.resource)} ${clusterOf(options) ?? ''}`;
}
