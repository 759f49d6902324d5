import type { ApiResource } from '@keelson/apimachinery';
import type { Caller } from '../calls/caller.ts';
import { requestFor } from '../calls/request-for.ts';

/** A rule of RBAC, as a Role contains it. */
export interface AccessRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** The response to a SelfSubjectRulesReview. Go servers may write an empty list as null. */
interface RulesReview {
  readonly status?: { readonly resourceRules?: readonly HeldRule[] | null };
}

type HeldRule = { readonly [Member in keyof AccessRule]?: AccessRule[Member] | null } & {
  readonly resourceNames?: readonly string[] | null;
};

const PATH = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';
/** Milliseconds for which the result of a review is remembered, also that of a review that failed. */
const REVIEW_TTL_MS = 5 * 60_000;
const REVIEW_TIMEOUT = '10s';
/** The namespace in the review for a watch of all namespaces, because a review requires one. */
const ANY_NAMESPACE = 'default';

/** The verbs that an informer needs to follow a resource. */
const needed = ['list', 'watch'];

/**
 * Finds the rule that the user of a client lacks to list and watch one resource, by a
 * SelfSubjectRulesReview. Sends at most one for each verb in five minutes.
 */
export class MissingRule {
  readonly #caller: Caller;
  readonly #resource: ApiResource;
  readonly #namespace: string;
  readonly #reviews = new Map<string, { at: number; rule: Promise<AccessRule> }>();

  constructor(caller: Caller, resource: ApiResource, namespace: string = ANY_NAMESPACE) {
    this.#caller = caller;
    this.#resource = resource;
    this.#namespace = namespace;
  }

  /** Returns the rule after the server denied `verb`. Rejects if the review fails. */
  find(verb: 'list' | 'watch', signal: AbortSignal): Promise<AccessRule> {
    const known = this.#reviews.get(verb);
    const now = this.#caller.transport.clock.monotonic();
    if (known !== undefined && now - known.at < REVIEW_TTL_MS) return known.rule;
    const rule = this.#review(verb, signal);
    this.#reviews.set(verb, { at: now, rule });
    return rule;
  }

  async #review(denied: string, signal: AbortSignal): Promise<AccessRule> {
    const { group, plural } = this.#resource;
    const body = {
      kind: 'SelfSubjectRulesReview',
      apiVersion: 'authorization.k8s.io/v1',
      spec: { namespace: this.#namespace },
    };
    const { status } = await this.#caller.call<RulesReview>(
      { request: requestFor('create', { path: PATH, body }) },
      { timeout: REVIEW_TIMEOUT, signal },
    );
    const held = status?.resourceRules ?? [];
    const verbs = needed.filter(
      (verb) => verb === denied || !held.some((rule) => covers(rule, this.#resource, verb)),
    );
    return { apiGroups: [group], resources: [plural], verbs };
  }
}

/** True if a rule permits a verb for the whole resource. A rule for named objects does not. */
function covers(rule: HeldRule, { group, plural }: ApiResource, verb: string): boolean {
  const { apiGroups, resources, verbs, resourceNames } = rule;
  if ((resourceNames ?? []).length > 0) return false;
  return has(apiGroups, group) && has(resources, plural) && has(verbs, verb);
}

function has(list: readonly string[] | null | undefined, value: string): boolean {
  return list?.some((each) => each === value || each === '*') ?? false;
}
