import { StatusError, type StatusCause } from '@keelson/apimachinery';
import {
  type ExpressionInput,
  jsonEquals,
  MutationError,
  type MutatingPolicy,
  type MutatingPolicyExpressions,
} from '@keelson/structural-schema';
import { forbidden } from '../../status-errors/status-errors.ts';
import type { ApiObject } from '../../storage/api-object.ts';
import type { AdmissionAttributes } from '../dynamic/admission-attributes.ts';
import type { ExpressionInputs } from '../dynamic/expression-inputs.ts';
import type { MutationRounds, Reinvocation } from '../dynamic/reinvocation.ts';
import type { RequestMatcher } from '../dynamic/request-matcher.ts';
import {
  type MatchedResource,
  takeObject,
  versioned,
  type VersionedAttributes,
} from '../dynamic/versioned-attributes.ts';
import { mutated } from './apply-mutation.ts';
import { namespaceObjectOf } from './namespace-object.ts';
import {
  isInvocation,
  type PolicyInvocation,
  type PolicyInvocations,
  type PolicyProblem,
} from './policy-invocations.ts';
import type { PolicySpec } from './policy-source.ts';
import { shownName } from './shown-name.ts';

/** The `spec` of a `MutatingAdmissionPolicy`. */
export type MutatingSpec = PolicySpec & MutatingPolicyExpressions;

type Invocation = PolicyInvocation<MutatingSpec, MutatingPolicy>;

/** A failed policy. The failure of an evaluation has the reason `Invalid`. */
interface Failure extends PolicyProblem {
  readonly reason?: 'Invalid';
}

export interface MutatingPoliciesContext {
  readonly invocations: PolicyInvocations<MutatingSpec, MutatingPolicy>;
  readonly requests: RequestMatcher;
  readonly inputs: ExpressionInputs;
}

/**
 * Evaluates the `MutatingAdmissionPolicy` objects that are bound, one after the other, each with the object as the ones
 * before left it. Source: `policy/mutating/dispatcher.go` of kube-apiserver's admission.
 */
export class MutatingPolicies {
  readonly #context: MutatingPoliciesContext;

  constructor(context: MutatingPoliciesContext) {
    this.#context = context;
  }

  get isEmpty(): boolean {
    return this.#context.invocations.isEmpty;
  }

  /** Changes the object of a request. Throws the `StatusError` of a policy that fails and does not ignore failures. */
  async admit(attributes: AdmissionAttributes, rounds: MutationRounds): Promise<void> {
    if (attributes.operation === 'DELETE') return;
    const found = await this.#context.invocations.of(attributes);
    const failures: Failure[] = [];
    const invocations: Invocation[] = [];
    for (const each of found) {
      if (isInvocation(each)) invocations.push(each);
      else failures.push(each);
    }
    if (invocations.length > 0) {
      const { namespaces } = this.#context.requests;
      const namespace = namespaceObjectOf(attributes, namespaces);
      const dispatch = new MutationDispatch(attributes, rounds, (request, params) =>
        this.#context.inputs.inputOf(request, namespace).withParams(params),
      );
      failures.push(...(await dispatch.run(invocations)));
    }
    if (failures.length > 0) throw failureStatus(attributes, failures);
  }
}

/** One round of the policies on one request. */
class MutationDispatch {
  readonly #attributes: AdmissionAttributes;
  readonly #rounds: MutationRounds;
  readonly #state: Reinvocation;
  readonly #inputOf: (request: VersionedAttributes, params: ApiObject | null) => ExpressionInput;
  /** The request in each version that a policy requires. As in kube-apiserver, versions do not share their changes. */
  readonly #requests = new Map<string, VersionedAttributes>();
  readonly #failures: Failure[] = [];
  /** The version that the last policy changed, whose object the request gets. */
  #last: VersionedAttributes | undefined;

  constructor(
    attributes: AdmissionAttributes,
    rounds: MutationRounds,
    inputOf: (request: VersionedAttributes, params: ApiObject | null) => ExpressionInput,
  ) {
    this.#attributes = attributes;
    this.#rounds = rounds;
    this.#state = rounds.policies;
    this.#inputOf = inputOf;
  }

  /** Returns the failures of policies that do not ignore them. */
  async run(invocations: readonly Invocation[]): Promise<readonly Failure[]> {
    const state = this.#state;
    if (this.#rounds.isSecond && state.hasChanged(this.#attributes.object)) state.requireAgain();
    try {
      for (const invocation of invocations) await this.#invoke(invocation);
      if (this.#last !== undefined) {
        this.#requireSecondRound();
        await takeObject(this.#last);
      }
    } finally {
      state.setOutput(this.#attributes.object);
    }
    return this.#failures;
  }

  async #invoke(invocation: Invocation): Promise<void> {
    const { policy, binding, params, matched } = invocation;
    const request = await this.#requestIn(matched);
    if (!this.#meetsConditions(invocation, request)) return;
    const id = JSON.stringify([
      policy.name,
      binding.name,
      params?.metadata.namespace,
      params?.metadata.name,
    ]);
    // A policy that the first round did not invoke is not invoked in the second round either.
    if (this.#rounds.isSecond && !this.#state.isRequired(id)) return;
    const before = request.object;
    this.#mutate(invocation, request);
    if (!jsonEquals(before, request.object)) this.#requireSecondRound();
    if (policy.spec.reinvocationPolicy === 'IfNeeded') this.#state.addInvoked(id);
  }

  async #requestIn(matched: MatchedResource): Promise<VersionedAttributes> {
    const id = `${matched.resource.id} ${matched.kind.kind}`;
    const known = this.#requests.get(id);
    if (known !== undefined) return known;
    const request = await versioned(this.#attributes, matched);
    this.#requests.set(id, request);
    return request;
  }

  #meetsConditions(invocation: Invocation, request: VersionedAttributes): boolean {
    const { policy, params } = invocation;
    const decision = policy.compiled.decide(this.#inputOf(request, params));
    if (typeof decision === 'boolean') return decision;
    this.#addFailure(invocation, decision.error);
    return false;
  }

  /** Evaluates all mutations of a policy, also after one that failed. */
  #mutate(invocation: Invocation, request: VersionedAttributes): void {
    const { policy, params } = invocation;
    for (const mutation of policy.compiled.mutations) {
      const { object } = request;
      if (object === undefined) continue;
      try {
        request.object = mutated(
          request,
          object,
          mutation.evaluate(this.#inputOf(request, params)),
        );
        this.#last = request;
      } catch (error) {
        if (!(error instanceof MutationError)) throw error;
        this.#addFailure(invocation, error.message);
      }
    }
  }

  #requireSecondRound(): void {
    this.#state.requireAgain();
    this.#rounds.needsSecond = true;
  }

  #addFailure({ policy, binding }: Invocation, message: string): void {
    if (policy.spec.failurePolicy === 'Ignore') return;
    const reason = 'Invalid';
    this.#failures.push({ policy: policy.name, binding: binding.name, message, reason });
  }
}

/** As in kube-apiserver, the code is 403 whatever the reason is. */
function failureStatus(attributes: AdmissionAttributes, failures: readonly Failure[]): StatusError {
  const causes: StatusCause[] = failures.map((failure) => ({ message: messageOf(failure) }));
  const subject = attributes.resource.subject(shownName(attributes));
  const message = causes[0]?.message ?? '';
  const { status } = forbidden(subject, message, causes);
  return new StatusError({ ...status, message, reason: failures[0]?.reason ?? 'Forbidden' });
}

function messageOf({ policy, binding, message }: Failure): string {
  return binding === undefined
    ? `policy ${JSON.stringify(policy)} denied request: ${message}`
    : `policy '${policy}' with binding '${binding}' denied request: ${message}`;
}
