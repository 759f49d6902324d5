import { resourceId } from '@keelson/apimachinery';
import type { KindSource } from '../sources/kind-source.ts';
import type { NamespaceSet } from '../sources/namespace-set.ts';
import { clusterOf, type SourceOptions } from '../sources/source-options.ts';
import { sourceText } from '../sources/source-text.ts';
import { Source, type SourcePlan } from './source.ts';

/**
 * The next plan of a controller's sources, as its difference to the plan in force. Sources and namespaces that it does
 * not name stay as they are.
 */
export interface NextPlan<Q extends object> {
  /**
   * The namespaces of the controller itself. If the member is present, every source applies them, and the namespaces of
   * the manager.
   */
  readonly namespaces?: NamespaceSet | undefined;
  /** New sources. */
  readonly added?: readonly Source<Q>[];
  /** The next plans of sources that stay. */
  readonly changed?: ReadonlyMap<Source<Q>, SourcePlan<Q>>;
  readonly ended?: readonly Source<Q>[];
  /** The new sources that take over the requests of an ended source. */
  readonly heirs?: ReadonlyMap<Source<Q>, readonly Source<Q>[]>;
  /** The sources that the options of the controller name. */
  readonly declared?: readonly Source<Q>[];
}

/**
 * The watches that left with a plan: all of a source that ended, or those of namespaces that a source no longer has.
 */
export interface Left<Q extends object> {
  readonly source: Source<Q>;
  readonly watches: readonly KindSource<Q>[];
  /** True if no other source continues the ended one, so that `onWatchRemoved` is called. */
  readonly isEnd: boolean;
  /** The sources of prepared plans that replace it. They have not delivered the states that its watches have seen. */
  readonly heirs?: readonly Source<Q>[];
}

/**
 * The rules by which a source in force continues as a new plan of the same role, the preferred one first: an equal
 * source, one that differs in its namespaces, any source of the kind.
 */
const rules: readonly (<Q extends object>(one: SourcePlan<Q>, other: SourcePlan<Q>) => boolean)[] =
  [
    (one, other) =>
      isSameWatch(one, other) &&
      String(one.options.namespaces) === String(other.options.namespaces),
    isSameWatch,
    ({ options: one }, { options: other }) => kindOf(one) === kindOf(other),
  ];

/**
 * Returns the next plan of a controller whose options name these sources. Equal sources stay with their watches. A
 * source of the same kind with other options is replaced by a new one, which takes over its requests.
 */
export function declaring<Q extends object>(
  present: readonly Source<Q>[],
  plans: readonly SourcePlan<Q>[],
): NextPlan<Q> {
  const found = pairs(present, plans);
  const changed = new Map<Source<Q>, SourcePlan<Q>>();
  const heirs = new Map<Source<Q>, readonly Source<Q>[]>();
  const declared = plans.map((plan) => {
    const former = found.get(plan);
    if (former !== undefined && isSameWatch(former.plan, plan)) {
      changed.set(former, plan);
      return former;
    }
    const source = new Source(plan, former);
    if (former !== undefined) heirs.set(former, [source]);
    return source;
  });
  const added = declared.filter((source) => !changed.has(source));
  const ended = present.filter((source) => !changed.has(source));
  return { added, changed, ended, heirs, declared };
}

/** A text that two sources share if they have objects of one kind and cluster. */
export function kindOf(options: SourceOptions): string {
  return `${resourceId(options.resource)} ${clusterOf(options) ?? ''}`;
}

/** Finds the source in force that each plan continues, by the `rules` in their order. */
function pairs<Q extends object>(
  sources: readonly Source<Q>[],
  plans: readonly SourcePlan<Q>[],
): ReadonlyMap<SourcePlan<Q>, Source<Q>> {
  const left = new Set(sources);
  const found = new Map<SourcePlan<Q>, Source<Q>>();
  for (const rule of rules) {
    for (const plan of plans) {
      if (found.has(plan)) continue;
      const source = [...left].find(
        ({ plan: known }) => known.role === plan.role && rule(known, plan),
      );
      if (source === undefined) continue;
      left.delete(source);
      found.set(plan, source);
    }
  }
  return found;
}

function isSameWatch<Q extends object>(one: SourcePlan<Q>, other: SourcePlan<Q>): boolean {
  return sourceText(one.options) === sourceText(other.options);
}
