import { resourceId } from '@keelson/apimachinery';
import type { KindSource } from '../sources/kind-source.ts';
import type { NamespaceSet } from '../sources/namespace-set.ts';
import { clusterOf, type SourceOptions } from '../sources/source-options.ts';
import { sourceText } from '../sources/source-text.ts';
import { Source, type SourcePlan } from './source.ts';
import { takingFirst } from './take-first.ts';

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

/** A plan, and the text of its options that a source in force cannot change. */
interface ComparedPlan<Q extends object> {
  readonly plan: SourcePlan<Q>;
  readonly text: string;
}

/**
 * The rules by which a source in force continues as a new plan of the same role, the preferred one first: an equal
 * source, one that differs in its namespaces, any source of the kind. The texts of both are equal.
 */
const rules: readonly (<Q extends object>(compared: ComparedPlan<Q>) => readonly unknown[])[] = [
  ({ plan: { role, options }, text }) => [role, text, options.namespaces],
  ({ plan: { role }, text }) => [role, text],
  ({ plan: { role, options } }) => [role, kindOf(options)],
];

/**
 * Returns the next plan of a controller whose options name these sources. Equal sources stay with their watches. A
 * source of the same kind with other options is replaced by a new one, which takes over its requests.
 */
export function declaring<Q extends object>(
  present: readonly Source<Q>[],
  plans: readonly SourcePlan<Q>[],
): NextPlan<Q> {
  const former = present.map((source) => ({ source, ...compared(source.plan) }));
  const next = plans.map(compared);
  const found = pairs(former, next);
  const changed = new Map<Source<Q>, SourcePlan<Q>>();
  const heirs = new Map<Source<Q>, readonly Source<Q>[]>();
  const declared = next.map(({ plan, text }) => {
    const known = found.get(plan);
    if (known?.text === text) {
      changed.set(known.source, plan);
      return known.source;
    }
    const source = new Source(plan, known?.source);
    if (known !== undefined) heirs.set(known.source, [source]);
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

/** A source in force. */
interface Former<Q extends object> extends ComparedPlan<Q> {
  readonly source: Source<Q>;
}

/** Finds the source in force that each plan continues, by the `rules` in their order. */
function pairs<Q extends object>(
  sources: readonly Former<Q>[],
  plans: readonly ComparedPlan<Q>[],
): ReadonlyMap<SourcePlan<Q>, Former<Q>> {
  const left = new Set(sources);
  const found = new Map<SourcePlan<Q>, Former<Q>>();
  for (const rule of rules) {
    const textOf = (one: ComparedPlan<Q>): string => JSON.stringify(rule(one));
    const take = takingFirst(left, textOf);
    for (const next of plans) {
      const source = found.has(next.plan) ? undefined : take(textOf(next));
      if (source !== undefined) found.set(next.plan, source);
    }
  }
  return found;
}

function compared<Q extends object>(plan: SourcePlan<Q>): ComparedPlan<Q> {
  return { plan, text: sourceText(plan.options) };
}
