import type { Authorizer } from '../auth/authorizer.ts';
import type { ResourceRegistry } from '../resources/resource-registry.ts';
import type { ResourceStore } from '../storage/resource-store.ts';
import type { WebhookClient } from '../webhooks/webhook-client.ts';
import {
  type AdmissionAttributes,
  isExempt,
  isExemptFromPolicies,
} from './dynamic/admission-attributes.ts';
import { ExpressionInputs } from './dynamic/expression-inputs.ts';
import { MutatingWebhooks } from './dynamic/mutating-webhooks.ts';
import type { MutationRounds } from './dynamic/reinvocation.ts';
import { RequestMatcher } from './dynamic/request-matcher.ts';
import { ValidatingWebhooks } from './dynamic/validating-webhooks.ts';
import { WebhookCaller } from './dynamic/webhook-caller.ts';
import { WebhookMatcher } from './dynamic/webhook-matcher.ts';
import { WebhookSource } from './dynamic/webhook-source.ts';
import { Parameters } from './policies/parameters.ts';
import { PolicySource } from './policies/policy-source.ts';
import { MutatingPolicies, type MutatingSpec } from './policies/mutating-policies.ts';
import { PolicyInvocations } from './policies/policy-invocations.ts';
import { ValidatingPolicies, type ValidatingSpec } from './policies/validating-policies.ts';
import { MutatingPolicy, ValidatingPolicy } from '@keelson/structural-schema';

/** The parts of the server that admission webhooks and policies use. */
export interface DynamicAdmissionContext {
  readonly registry: ResourceRegistry;
  readonly authorizer: Authorizer;
  readonly client: WebhookClient;
  /** Returns the store of a kind of the group `admissionregistration.k8s.io`. */
  readonly configurations: (plural: string) => ResourceStore;
  readonly namespaces: ResourceStore;
}

/** Admission by the webhooks and policies that clients have configured. */
export class DynamicAdmission {
  readonly #mutating: MutatingWebhooks;
  readonly #validating: ValidatingWebhooks;
  /** `undefined` in versions of Kubernetes that do not serve mutating policies. */
  readonly #mutatingPolicies: MutatingPolicies | undefined;
  readonly #validatingPolicies: ValidatingPolicies;

  constructor({
    registry,
    authorizer,
    client,
    configurations,
    namespaces,
  }: DynamicAdmissionContext) {
    const requests = new RequestMatcher(registry, namespaces);
    const inputs = new ExpressionInputs(authorizer);
    const parameters = new Parameters(registry);
    const matcher = new WebhookMatcher(requests, inputs);
    const caller = new WebhookCaller(client);
    const source = (plural: string): WebhookSource => new WebhookSource(configurations(plural));
    this.#mutating = new MutatingWebhooks(source('mutatingwebhookconfigurations'), matcher, caller);
    this.#validating = new ValidatingWebhooks(
      source('validatingwebhookconfigurations'),
      matcher,
      caller,
    );
    const stores = (kind: string): { policies: ResourceStore; bindings: ResourceStore } => ({
      policies: configurations(`${kind}admissionpolicies`),
      bindings: configurations(`${kind}admissionpolicybindings`),
    });
    if (registry.anyVersion('admissionregistration.k8s.io', 'mutatingadmissionpolicies')) {
      this.#mutatingPolicies = new MutatingPolicies({
        invocations: new PolicyInvocations(
          new PolicySource(stores('mutating'), (spec: MutatingSpec) => new MutatingPolicy(spec)),
          requests,
          parameters,
        ),
        requests,
        inputs,
      });
    }
    this.#validatingPolicies = new ValidatingPolicies({
      invocations: new PolicyInvocations(
        new PolicySource(
          stores('validating'),
          (spec: ValidatingSpec) => new ValidatingPolicy(spec),
        ),
        requests,
        parameters,
      ),
      requests,
      inputs,
    });
  }

  /** True if any configuration may change requests. Without one, a write costs this check alone. */
  get mutates(): boolean {
    return !this.#mutating.isEmpty || this.#mutatingPolicies?.isEmpty === false;
  }

  /** True if any configuration may refuse requests. */
  get validates(): boolean {
    return !this.#validating.isEmpty || !this.#validatingPolicies.isEmpty;
  }

  /** Changes the object of a request. Throws the `StatusError` of a refusal. */
  async mutate(attributes: AdmissionAttributes, rounds: MutationRounds): Promise<void> {
    if (!isExemptFromPolicies(attributes)) await this.#mutatingPolicies?.admit(attributes, rounds);
    if (!isExempt(attributes)) await this.#mutating.admit(attributes, rounds);
  }

  /** Throws the `StatusError` of a refusal. */
  async validate(attributes: AdmissionAttributes): Promise<void> {
    if (!isExemptFromPolicies(attributes)) await this.#validatingPolicies.validate(attributes);
    if (!isExempt(attributes)) await this.#validating.validate(attributes);
  }
}
