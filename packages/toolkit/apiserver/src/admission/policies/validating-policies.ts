import { StatusError } from '@keelson/apimachinery';
import type {
  PolicyDenial,
  ValidatingPolicy,
  ValidatingPolicyExpressions,
} from '@keelson/structural-schema';
import { forbidden } from '../../status-errors/status-errors.ts';
import type { AdmissionAttributes } from '../dynamic/admission-attributes.ts';
import type { ExpressionInputs } from '../dynamic/expression-inputs.ts';
import type { RequestMatcher } from '../dynamic/request-matcher.ts';
import { versioned } from '../dynamic/versioned-attributes.ts';
import { namespaceObjectOf } from './namespace-object.ts';
import {
  isInvocation,
  type PolicyInvocation,
  type PolicyInvocations,
  problemsOf,
} from './policy-invocations.ts';
import type { PolicySpec } from './policy-source.ts';
import { shownName } from './shown-name.ts';

/** The `spec` of a `ValidatingAdmissionPolicy`. */
export type ValidatingSpec = PolicySpec & ValidatingPolicyExpressions;

type Invocation = PolicyInvocation<ValidatingSpec, ValidatingPolicy>;

/** The first reason to refuse a request. */
interface Refusal {
  readonly policy: string;
  readonly binding?: string;
  readonly denial: PolicyDenial;
}

export interface ValidatingPoliciesContext {
  readonly invocations: PolicyInvocations<ValidatingSpec, ValidatingPolicy>;
  readonly requests: RequestMatcher;
  readonly inputs: ExpressionInputs;
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
    return this.#context.invocations.isEmpty;
  }

  /** Throws the `StatusError` of the first refusal. Bindings with `Warn` add warnings to the response. */
  async validate(attributes: AdmissionAttributes): Promise<void> {
    const refusals: Refusal[] = [];
    for (const found of await this.#context.invocations.of(attributes)) {
      if (isInvocation(found)) refusals.push(...(await this.#refusalsOf(found, attributes)));
      else refusals.push({ ...found, denial: found });
    }
    const [first] = refusals;
    if (first !== undefined) throw refusalStatus(attributes, first);
  }

  async #refusalsOf(invocation: Invocation, attributes: AdmissionAttributes): Promise<Refusal[]> {
    const { policy, binding, params, matched } = invocation;
    const { inputs, requests } = this.#context;
    try {
      const request = await versioned(attributes, matched);
      const namespace = namespaceObjectOf(attributes, requests.namespaces);
      const input = inputs.inputOf(request, namespace).withParams(params);
      return decided(invocation, attributes, policy.compiled.evaluate(input));
    } catch (error) {
      return problemsOf(policy, binding, error).map((each) => ({ ...each, denial: each }));
    }
  }
}

/** Applies the actions of a binding to the violations of a policy. */
function decided(
  { policy, binding: { name, spec } }: Invocation,
  { warnings }: AdmissionAttributes,
  { denials, annotationDenials }: ReturnType<ValidatingPolicy['evaluate']>,
): Refusal[] {
  const { validationActions: actions = [] } = spec;
  if (actions.includes('Warn')) {
    const at = `ValidatingAdmissionPolicy '${policy.name}' with binding '${name}'`;
    for (const { message } of denials) warnings.push(`Validation failed for ${at}: ${message}`);
  }
  const denied = actions.includes('Deny') ? denials : [];
  return [...denied, ...annotationDenials].map((denial) => ({
    policy: policy.name,
    binding: name,
    denial,
  }));
}

const codes: Readonly<Record<string, number>> = { Forbidden: 403, RequestEntityTooLarge: 413 };

function refusalStatus(
  attributes: AdmissionAttributes,
  { policy, binding, denial }: Refusal,
): StatusError {
  const by = binding === undefined ? '' : ` with binding '${binding}'`;
  const message = `ValidatingAdmissionPolicy '${policy}'${by} denied request: ${denial.message}`;
  const subject = attributes.resource.subject(shownName(attributes));
  const { status } = forbidden(subject, message, [{ message }]);
  const { reason = 'Invalid' } = denial;
  return new StatusError({ ...status, reason, code: codes[reason] ?? 422 });
}
