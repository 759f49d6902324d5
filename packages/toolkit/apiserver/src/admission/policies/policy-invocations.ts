import { StatusError } from '@keelson/apimachinery';
import type { ApiObject } from '../../storage/api-object.ts';
import type { AdmissionAttributes } from '../dynamic/admission-attributes.ts';
import type { RequestMatcher } from '../dynamic/request-matcher.ts';
import type { MatchedResource } from '../dynamic/versioned-attributes.ts';
import { type Parameters, PolicyConfigurationError } from './parameters.ts';
import type { BoundPolicy, PolicyBinding, PolicySource, PolicySpec } from './policy-source.ts';

/** A policy that applies to a request, by one of its bindings, with one object of parameters. */
export interface PolicyInvocation<S extends PolicySpec, C> {
  readonly policy: BoundPolicy<S, C>;
  readonly binding: PolicyBinding;
  /** `null` for a policy or binding without parameters. */
  readonly params: ApiObject | null;
  /** The resource in the version that the policy asks for. */
  readonly matched: MatchedResource;
}

/** A policy or binding that cannot be evaluated as it is configured. */
export interface PolicyProblem {
  readonly policy: string;
  /** Absent if the problem is that of the policy itself. */
  readonly binding?: string;
  readonly message: string;
}

/**
 * Finds the policies of one kind that apply to a request. Source: `Dispatch` in `policy/generic/policy_dispatcher.go` of
 * kube-apiserver's admission.
 */
export class PolicyInvocations<S extends PolicySpec, C> {
  readonly #source: PolicySource<S, C>;
  readonly #requests: RequestMatcher;
  readonly #parameters: Parameters;

  constructor(source: PolicySource<S, C>, requests: RequestMatcher, parameters: Parameters) {
    this.#source = source;
    this.#requests = requests;
    this.#parameters = parameters;
  }

  get isEmpty(): boolean {
    return this.#source.isEmpty;
  }

  /**
   * Returns the invocations of a request in the order of the policies and their bindings. In the place of an invocation
   * that is impossible is its problem, unless the failures of the policy are ignored.
   */
  async of(attributes: AdmissionAttributes): Promise<(PolicyInvocation<S, C> | PolicyProblem)[]> {
    const found: (PolicyInvocation<S, C> | PolicyProblem)[] = [];
    for (const policy of this.#source.policies()) {
      found.push(...(await this.#ofPolicy(policy, attributes)));
    }
    return found;
  }

  async #ofPolicy(
    policy: BoundPolicy<S, C>,
    attributes: AdmissionAttributes,
  ): Promise<(PolicyInvocation<S, C> | PolicyProblem)[]> {
    let matched: MatchedResource | undefined;
    try {
      matched = this.#requests.match(policy.criteria, attributes);
      if (matched === undefined) return [];
      this.#parameters.check(policy.spec.paramKind);
    } catch (error) {
      return problemsOf(policy, undefined, error);
    }
    const found: (PolicyInvocation<S, C> | PolicyProblem)[] = [];
    for (const binding of policy.bindings) {
      found.push(...(await this.#ofBinding(policy, binding, attributes, matched)));
    }
    return found;
  }

  async #ofBinding(
    policy: BoundPolicy<S, C>,
    binding: PolicyBinding,
    attributes: AdmissionAttributes,
    matched: MatchedResource,
  ): Promise<(PolicyInvocation<S, C> | PolicyProblem)[]> {
    try {
      if (this.#requests.match(binding.criteria, attributes) === undefined) return [];
      const { paramRef } = binding.spec;
      const { paramKind } = policy.spec;
      const all = await this.#parameters.of(paramKind, paramRef, attributes.namespace);
      return all.map((params) => ({ policy, binding, params, matched }));
    } catch (error) {
      return problemsOf(policy, binding, error);
    }
  }
}

/** Returns the problem of a policy or binding; none if the failures of the policy are ignored. Other errors are thrown. */
export function problemsOf(
  { name: policy, spec }: Pick<BoundPolicy<PolicySpec, unknown>, 'name' | 'spec'>,
  binding: PolicyBinding | undefined,
  error: unknown,
): PolicyProblem[] {
  const isConfiguration = error instanceof PolicyConfigurationError || error instanceof StatusError;
  if (!isConfiguration) throw error;
  if (spec.failurePolicy === 'Ignore') return [];
  const part = binding === undefined ? 'policy' : 'binding';
  const message = `failed to configure ${part}: ${error.message}`;
  return [{ policy, ...(binding && { binding: binding.name }), message }];
}

/** True for an invocation that can be evaluated. */
export function isInvocation<S extends PolicySpec, C>(
  found: PolicyInvocation<S, C> | PolicyProblem,
): found is PolicyInvocation<S, C> {
  return 'matched' in found;
}
