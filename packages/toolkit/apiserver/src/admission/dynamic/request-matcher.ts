import type { LabelSelector } from '@keelson/apimachinery';
import type { ResourceRegistry } from '../../resources/resource-registry.ts';
import type { ResourceStore } from '../../storage/resource-store.ts';
import type { AdmissionAttributes } from './admission-attributes.ts';
import { namespaceNotFound, RequestSelectors } from './request-selectors.ts';
import { matchedResource, type MatchPolicy, type ResourceRule } from './resource-rules.ts';
import type { MatchedResource } from './versioned-attributes.ts';

/** The requests that a webhook or policy applies to. */
export class MatchCriteria {
  readonly rules: readonly ResourceRule[];
  readonly excluded: readonly ResourceRule[];
  readonly matchPolicy: MatchPolicy;
  readonly selectors: RequestSelectors;
  /** True if no rules match every request. A webhook without rules matches none. */
  readonly emptyMatches: boolean;

  constructor(written: {
    readonly rules: readonly ResourceRule[] | undefined;
    readonly excluded?: readonly ResourceRule[] | undefined;
    readonly matchPolicy?: MatchPolicy;
    readonly namespaceSelector?: LabelSelector;
    readonly objectSelector?: LabelSelector;
    readonly emptyMatches?: boolean;
  }) {
    this.rules = written.rules ?? [];
    this.excluded = written.excluded ?? [];
    this.matchPolicy = written.matchPolicy ?? 'Equivalent';
    this.selectors = new RequestSelectors(written);
    this.emptyMatches = written.emptyMatches ?? false;
  }
}

/** Decides which requests a webhook or policy applies to. */
export class RequestMatcher {
  readonly #registry: ResourceRegistry;
  readonly namespaces: ResourceStore;

  constructor(registry: ResourceRegistry, namespaces: ResourceStore) {
    this.#registry = registry;
    this.namespaces = namespaces;
  }

  /**
   * Returns the resource in the version that the rules ask for; `undefined` if they do not match. Throws the 404 of a
   * namespace that does not exist, if the rules match.
   */
  match(criteria: MatchCriteria, attributes: AdmissionAttributes): MatchedResource | undefined {
    const { selectors, excluded, rules } = criteria;
    const namespace = selectors.matchesNamespace(attributes, this.namespaces);
    if (namespace === false || !selectors.matchesObject(attributes)) return undefined;
    if (excluded.length > 0 && this.#byRules(excluded, criteria, attributes)) return undefined;
    const { resource, kind } = attributes;
    const isEverything = criteria.emptyMatches && rules.length === 0;
    const found = isEverything ? { resource, kind } : this.#byRules(rules, criteria, attributes);
    if (found !== undefined && namespace !== true) throw namespaceNotFound(namespace.missing);
    return found;
  }

  #byRules(
    rules: readonly ResourceRule[],
    { matchPolicy }: MatchCriteria,
    attributes: AdmissionAttributes,
  ): MatchedResource | undefined {
    return matchedResource(attributes, { rules, matchPolicy }, (resource, subresource) =>
      this.#registry.otherVersions(resource, subresource),
    );
  }
}
