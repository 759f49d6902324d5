import { invalidOption } from '@keelson/apimachinery';

/** The name and the labels of a further cluster, by which sources select it. */
export interface ClusterFacts {
  readonly name: string;
  /** The `labels` of `addCluster`; empty without any. */
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Selects further clusters: all of them, or those for which a function returns true. It must be synchronous and depend
 * on its argument alone. The manager calls it when a cluster is added, and at a change of the options. If it throws or
 * returns no boolean, the source leaves the cluster out, and the error is logged and counted.
 */
export type ClusterSelection = 'all' | ((cluster: ClusterFacts) => boolean);

/**
 * The marker by which the compiler infers that a source has `clusters`: `'all'` or what the function returns; `undefined`
 * without the option.
 */
export type Spanning = 'all' | boolean | undefined;

/** The option of a source that watches its kind in several clusters. */
export interface ClustersChoice<C extends Spanning = 'all' | boolean> {
  /**
   * The further clusters in which the source watches its kind: `'all'`, or a function of their names and labels. A
   * cluster that is added later is watched then, and one that is removed leaves as a removed watch does. The main
   * cluster is not among them. `namespaces` of the controller apply to each; `namespaces` and `kinds` are those of
   * `addCluster`. Default: one cluster.
   */
  readonly clusters?: C | ((cluster: ClusterFacts) => C);
}

/** The selection of a source; `undefined` if it watches one cluster. */
export function selectionOf(source: object): ClusterSelection | undefined {
  return (source as { readonly clusters?: ClusterSelection }).clusters;
}

/** Throws `INVALID_OPTION` for an invalid selection, and beside `cluster`. */
export function checkSelection(
  source: { readonly clusters?: unknown; readonly cluster?: unknown; readonly resource: unknown },
  where: string,
): void {
  const { clusters } = source;
  if (clusters === undefined) return;
  if (clusters !== 'all' && typeof clusters !== 'function') {
    throw invalidOption(where, "must be 'all' or a function of a cluster");
  }
  if (source.cluster !== undefined)
    throw invalidOption(where, 'give either `cluster` or `clusters`');
}

/** The options of a controller that decide whether its requests carry a cluster. */
export interface DeclaredRequests {
  readonly for?: unknown;
  readonly watches?: readonly object[];
  readonly keyOf?: unknown;
}

/**
 * True if the requests of a controller carry a cluster: its `for` has `clusters`, or it has neither `for` nor `keyOf`,
 * and one of its watches has `clusters`.
 */
export function carriesCluster({ for: primary, watches = [], keyOf }: DeclaredRequests): boolean {
  if (primary !== undefined) return isSpanning(primary);
  return keyOf === undefined && Array.isArray(watches) && watches.some(isSpanning);
}

/** True for a source with `clusters`. The options may not have been checked yet. */
function isSpanning(source: unknown): boolean {
  return typeof source === 'object' && source !== null && selectionOf(source) !== undefined;
}
