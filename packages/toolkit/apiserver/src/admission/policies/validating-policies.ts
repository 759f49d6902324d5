import { StatusError } from '@keelson/apimachinery';
import { forbidden } from '../../status-errors/status-errors.ts';
import type { AdmissionAttributes } from '../dynamic/admission-attributes.ts';
import type { ExpressionInputs } from '../dynamic/expression-inputs.ts';
import type { RequestMatcher } from '../dynamic/request-matcher.ts';
import { type MatchedResource, versioned } from '../dynamic/versioned-attributes.ts';
import { namespaceObjectOf } from './namespace-object.ts';
import { type Parameters, PolicyConfigurationError } from './parameters.ts';
import type { BoundPolicy, PolicyBinding, PolicySource, PolicySpec } from './policy-source.ts';
import type {
  PolicyDenial,
  ValidatingPolicy,
  ValidatingPolicyExpressions,
} from '@keelson/structural-schema';

/** The `spec` of a `ValidatingAdmissionPolicy`. */
type ValidatingSpec = PolicySpec & ValidatingPolicyExpressions;

type Policy = BoundPolicy<ValidatingSpec, ValidatingPolicy>;

/** The first reason to refuse a request. */
interface Refusal {
  readonly policy: string;
  readonly binding?: string;
  readonly denial: PolicyDenial;
}

export interface ValidatingPoliciesContext {
  readonly source: PolicySource<ValidatingSpec, ValidatingPolicy>;
  readonly requests: RequestMatcher;
  readonly inputs: ExpressionInputs;
  readonly parameters: Parameters;
}

/**
 * Evaluates the `ValidatingAdmissionPolicy` objects that are bound. Source: `policy/validating/dispatcher.go` of
 * kube-apiserver's admission.
 */
export class ValidatingPolicies {
  readonly #context: ValidatingPoliciesContext;

  constructor(context: ValidatingPoliciesContext) {
    this.#context = context;
  }

  get isEmpty(): boolean {
    return this.#context.source.isEmpty;
  }

  /** Throws the `StatusError` of the first refusal. Bindings with `Warn` add warnings to the response. */
  async validate(attributes: AdmissionAttributes): Promise<void> {
    const refusals: Refusal[] = [];
    for (const policy of this.#context.source.policies()) {
      refusals.push(...(await this.#refusalsOf(policy, attributes)));
    }
    const [first] = refusals;
    if (first !== undefined) throw refusalStatus(attributes, first);
  }

  async #refusalsOf(policy: Policy, attributes: AdmissionAttributes): Promise<Refusal[]> {
    let matched: MatchedResource | undefined;
    try {
      matched = this.#match(policy, attributes);
      if (matched === undefined) return [];
      this.#context.parameters.check(policy.spec.paramKind);
    } catch (error) {
      return configurationRefusal(policy, undefined, error);
    }
    const refusals: Refusal[] = [];
    for (const binding of policy.bindings) {
      refusals.push(...(await this.#refusalsOfBinding(policy, binding, attributes, matched)));
    }
    return refusals;
  }

  #match(
    { criteria }: Policy | PolicyBinding,
    attributes: AdmissionAttributes,
  ): MatchedResource | undefined {
    return this.#context.requests.match(criteria, attributes);
  }

  async #refusalsOfBinding(
    policy: Policy,
    binding: PolicyBinding,
    attributes: AdmissionAttributes,
    matched: MatchedResource,
  ): Promise<Refusal[]> {
    const { parameters, inputs, requests } = this.#context;
    try {
      if (this.#match(binding, attributes) === undefined) return [];
      const { paramKind } = policy.spec;
      const params = await parameters.of(paramKind, binding.spec.paramRef, attributes.namespace);
      if (params.length === 0) return [];
      const request = await versioned(attributes, matched);
      const namespace = namespaceObjectOf(attributes, requests.namespaces);
      const input = inputs.inputOf(request, namespace);
      return params.flatMap((each) =>
        this.#evaluate(policy, binding, attributes, () =>
          policy.compiled.evaluate(input.withParams(each)),
        ),
      );
    } catch (error) {
      return configurationRefusal(policy, binding, error);
    }
  }

  #evaluate(
    policy: Policy,
    { name, spec }: PolicyBinding,
    { warnings }: AdmissionAttributes,
    evaluate: () => ReturnType<ValidatingPolicy['evaluate']>,
  ): Refusal[] {
    const { denials, annotationDenials } = evaluate();
    const { validationActions: actions = [] } = spec;
    const refusal = (denial: PolicyDenial): Refusal => ({
      policy: policy.name,
      binding: name,
      denial,
    });
    if (actions.includes('Warn')) {
      const at = `ValidatingAdmissionPolicy '${policy.name}' with binding '${name}'`;
      for (const { message } of denials) warnings.push(`Validation failed for ${at}: ${message}`);
    }
    const denied = actions.includes('Deny') ? denials : [];
    return [...denied, ...annotationDenials].map(refusal);
  }
}

/** A policy or binding that cannot be evaluated refuses the request, unless its failures are ignored. */
function configurationRefusal(
  policy: Policy,
  binding: PolicyBinding | undefined,
  error: unknown,
): Refusal[] {
  const isConfiguration = error instanceof PolicyConfigurationError || error instanceof StatusError;
  if (!isConfiguration) throw error;
  if (policy.spec.failurePolicy === 'Ignore') return [];
  const part = binding === undefined ? 'policy' : 'binding';
  const denial = { message: `failed to configure ${part}: ${error.message}` };
  return [{ policy: policy.name, ...(binding && { binding: binding.name }), denial }];
}

const codes: Readonly<Record<string, number>> = { Forbidden: 403, RequestEntityTooLarge: 413 };

function refusalStatus(
  { resource, name, object }: AdmissionAttributes,
  { policy, binding, denial }: Refusal,
): StatusError {
  const by = binding === undefined ? '' : ` with binding '${binding}'`;
  const message = `ValidatingAdmissionPolicy '${policy}'${by} denied request: ${denial.message}`;
  const shown = name || object?.metadata.name || object?.metadata.generateName || 'Unknown';
  const { status } = forbidden(resource.subject(shown), message, [{ message }]);
  const { reason = 'Invalid' } = denial;
  return new StatusError({ ...status, reason, code: codes[reason] ?? 422 });
}
