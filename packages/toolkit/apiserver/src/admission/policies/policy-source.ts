import type { LabelSelector } from '@keelson/apimachinery';
import type { ResourceStore } from '../../storage/resource-store.ts';
import { byCodeUnit } from '../../storage/sorted-keys.ts';
import type { PolicyExpressions } from '@keelson/structural-schema';
import { MatchCriteria } from '../dynamic/request-matcher.ts';
import type { MatchPolicy, ResourceRule } from '../dynamic/resource-rules.ts';
import type { ParamReference } from './parameters.ts';

/** `MatchResources` of a policy or binding, with its defaults. */
export interface MatchResources {
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly resourceRules?: readonly ResourceRule[];
  readonly excludeResourceRules?: readonly ResourceRule[];
  readonly matchPolicy?: MatchPolicy;
}

/** The members of a policy without its rules. */
export interface PolicySpec extends PolicyExpressions {
  readonly matchConstraints?: MatchResources;
}

/** The `spec` of a binding. */
export interface BindingSpec {
  readonly policyName: string;
  readonly paramRef?: ParamReference;
  readonly matchResources?: MatchResources;
  readonly validationActions?: readonly string[];
}

export interface PolicyBinding {
  readonly name: string;
  readonly spec: BindingSpec;
  readonly criteria: MatchCriteria;
}

/** A policy that is in effect, because it has bindings. */
export interface BoundPolicy<S extends PolicySpec, C> {
  readonly name: string;
  readonly spec: S;
  readonly criteria: MatchCriteria;
  readonly bindings: readonly PolicyBinding[];
  /** The expressions of the policy. */
  readonly compiled: C;
}

/** The policies of one kind with their bindings, in the order of their names. */
export class PolicySource<S extends PolicySpec, C> {
  readonly #policies: ResourceStore;
  readonly #bindings: ResourceStore;
  readonly #compile: (spec: S) => C;
  #bound: readonly BoundPolicy<S, C>[] = [];
  /** The positions in the logs of both stores that `#bound` reflects. */
  #positions = '';

  constructor(
    stores: { readonly policies: ResourceStore; readonly bindings: ResourceStore },
    compile: (spec: S) => C,
  ) {
    this.#policies = stores.policies;
    this.#bindings = stores.bindings;
    this.#compile = compile;
  }

  get isEmpty(): boolean {
    return this.#policies.size === 0 || this.#bindings.size === 0;
  }

  policies(): readonly BoundPolicy<S, C>[] {
    const positions = `${this.#policies.log.end} ${this.#bindings.log.end}`;
    if (positions !== this.#positions) {
      this.#bound = this.#read();
      this.#positions = positions;
    }
    return this.#bound;
  }

  #read(): BoundPolicy<S, C>[] {
    const bindings = specsOf<BindingSpec>(this.#bindings).map(({ name, spec }) => ({
      name,
      spec,
      criteria: criteriaOf(spec.matchResources),
    }));
    return specsOf<S>(this.#policies).flatMap(({ name, spec }) => {
      const own = bindings.filter((binding) => binding.spec.policyName === name);
      if (own.length === 0) return [];
      const criteria = criteriaOf(spec.matchConstraints);
      return [{ name, spec, criteria, bindings: own, compiled: this.#compile(spec) }];
    });
  }
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the validation of the kind guarantees the type
function specsOf<S>(store: ResourceStore): { readonly name: string; readonly spec: S }[] {
  const stored = [...store.values()].toSorted((one, other) => byCodeUnit(one.key, other.key));
  return stored.map((each) => ({
    name: each.key,
    spec: (each.parse() as unknown as { spec: S }).spec,
  }));
}

function criteriaOf(match: MatchResources = {}): MatchCriteria {
  const { resourceRules: rules, excludeResourceRules: excluded } = match;
  return new MatchCriteria({ ...match, rules, excluded, emptyMatches: true });
}
