import type { Authorizer } from '../../auth/authorizer.ts';
import type { ResourceRegistry } from '../../resources/resource-registry.ts';
import type { ResourceStore } from '../../storage/resource-store.ts';
import type { WebhookClient } from '../../webhooks/webhook-client.ts';
import { type AdmissionAttributes, isExempt } from './admission-attributes.ts';
import { InputFactory } from './input-factory.ts';
import { MutatingWebhooks } from './mutating-webhooks.ts';
import type { MutationRounds } from './reinvocation.ts';
import { RequestMatcher } from './request-matcher.ts';
import { ValidatingWebhooks } from './validating-webhooks.ts';
import { WebhookCaller } from './webhook-caller.ts';
import { WebhookMatcher } from './webhook-matcher.ts';
import { WebhookSource } from './webhook-source.ts';

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

  constructor({
    registry,
    authorizer,
    client,
    configurations,
    namespaces,
  }: DynamicAdmissionContext) {
    const requests = new RequestMatcher(registry, namespaces);
    const matcher = new WebhookMatcher(requests, new InputFactory(authorizer));
    const caller = new WebhookCaller(client);
    const source = (plural: string): WebhookSource => new WebhookSource(configurations(plural));
    this.#mutating = new MutatingWebhooks(source('mutatingwebhookconfigurations'), matcher, caller);
    this.#validating = new ValidatingWebhooks(
      source('validatingwebhookconfigurations'),
      matcher,
      caller,
    );
  }

  /** True if any configuration may change requests. Without one, a write costs this check alone. */
  get mutates(): boolean {
    return !this.#mutating.isEmpty;
  }

  /** True if any configuration may refuse requests. */
  get validates(): boolean {
    return !this.#validating.isEmpty;
  }

  /** Changes the object of a request. Throws the `StatusError` of a refusal. */
  async mutate(attributes: AdmissionAttributes, rounds: MutationRounds): Promise<void> {
    if (isExempt(attributes)) return;
    await this.#mutating.admit(attributes, rounds);
  }

  /** Throws the `StatusError` of a refusal. */
  async validate(attributes: AdmissionAttributes): Promise<void> {
    if (isExempt(attributes)) return;
    await this.#validating.validate(attributes);
  }
}
