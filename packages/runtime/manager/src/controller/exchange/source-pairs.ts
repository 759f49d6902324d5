import { resourceId } from '@keelson/apimachinery';
import { clusterOf } from '../sources/source-options.ts';
import { sourceText } from '../sources/source-text.ts';
import type { SourcePlan, SourceWatches } from '../sources/source-watches.ts';

/** A source, and its next plan. */
interface SourcePair<Q extends object> {
  readonly source: SourceWatches<Q>;
  readonly plan: SourcePlan<Q>;
}

/** Which plans belong to present sources, which are new, and which sources have none. */
interface SourcePairs<Q extends object> {
  readonly pairs: readonly SourcePair<Q>[];
  readonly added: readonly SourcePlan<Q>[];
  readonly ended: readonly SourceWatches<Q>[];
}

/** Two plans of one role match; the first rule that finds a source decides. */
const rules: readonly (<Q extends object>(one: SourcePlan<Q>, other: SourcePlan<Q>) => boolean)[] =
  [
    (one, other) =>
      isSameKind(one, other) && String(one.options.namespaces) === String(other.options.namespaces),
    isSameKind,
    (one, other) =>
      resourceId(one.options.resource) === resourceId(other.options.resource) &&
      clusterOf(one.options) === clusterOf(other.options),
  ];

/** Finds the present source of each plan: an equal one first, else one with other namespaces, else one of the kind. */
export function pairSources<Q extends object>(
  sources: readonly SourceWatches<Q>[],
  plans: readonly SourcePlan<Q>[],
): SourcePairs<Q> {
  const left = new Set(sources);
  const found = new Map<SourcePlan<Q>, SourceWatches<Q>>();
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
  return {
    pairs: Array.from(found, ([plan, source]) => ({ plan, source })),
    added: plans.filter((plan) => !found.has(plan)),
    ended: [...left],
  };
}

function isSameKind<Q extends object>(one: SourcePlan<Q>, other: SourcePlan<Q>): boolean {
  return sourceText(one.options) === sourceText(other.options);
}
