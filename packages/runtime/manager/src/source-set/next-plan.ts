import { resourceId } from '@keelson/apimachinery';
import type { KindSource } from '../sources/kind-source.ts';
import type { NamespaceSet } from '../sources/namespace-set.ts';
import { clusterOf, type SourceOptions } from '../sources/source-options.ts';
import { sourceText } from '../sources/source-text.ts';
import { Source, type SourcePlan } from './source.ts';

/**
 * The next plan of a controller's sources, as its difference to the plan in force. What it does not name stays as it is.
 */
export interface NextPlan<Q extends object> {
  /** The namespaces of the controller itself. If it is named, every source follows it and the namespaces of the manager. */
  readonly namespaces?: NamespaceSet | undefined;
  /** New sources. */
  readonly added?: readonly Source<Q>[];
  /** The next plans of sources that stay. */
  readonly changed?: ReadonlyMap<Source<Q>, SourcePlan<Q>>;
  readonly ended?: readonly Source<Q>[];
  /** The new sources that take over the requests of an ended one. */
  readonly heirs?: ReadonlyMap<Source<Q>, readonly Source<Q>[]>;
  /** The sources that the options of the controller name. */
  readonly declared?: readonly Source<Q>[];
}

/** What left with a plan: the watches of a source that ended, or of its namespaces. */
export interface Left<Q extends object> {
  readonly source: Source<Q>;
  readonly watches: readonly KindSource<Q>[];
  /** True if no other source continues it, so that `onWatchRemoved` is called. */
  readonly isEnd: boolean;
}

/** Two plans of one role match; the first rule that finds a source decides. */
const rules: readonly (<Q extends object>(one: SourcePlan<Q>, other: SourcePlan<Q>) => boolean)[] =
  [
    (one, other) =>
      isSameWatch(one, other) &&
      String(one.options.namespaces) === String(other.options.namespaces),
    isSameWatch,
    ({ options: one }, { options: other }) => isSameKind(one, other),
  ];

/**
 * Returns the next plan of a controller whose options name these sources: equal ones stay with their watches, and one of
 * the same kind with other options is replaced by a new source, which takes its requests over.
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

/** True if two sources have objects of one kind and cluster. */
export function isSameKind(one: SourceOptions, other: SourceOptions): boolean {
  return (
    resourceId(one.resource) === resourceId(other.resource) && clusterOf(one) === clusterOf(other)
  );
}

/** Finds the present source of each plan: an equal one first, else one with other namespaces, else one of the kind. */
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
