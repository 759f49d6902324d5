import { forbidden } from '../../status-errors/status-errors.ts';
import type { AdmissionAttributes } from './admission-attributes.ts';
import type { ExpressionInputs } from './expression-inputs.ts';
import type { RequestMatcher } from './request-matcher.ts';
import { versioned, type VersionedAttributes } from './versioned-attributes.ts';
import type { Webhook } from './webhook-source.ts';

/** Decides which webhooks are called for a request. */
export class WebhookMatcher {
  readonly #requests: RequestMatcher;
  readonly #inputs: ExpressionInputs;

  constructor(requests: RequestMatcher, inputs: ExpressionInputs) {
    this.#requests = requests;
    this.#inputs = inputs;
  }

  /**
   * Returns the request in the version that a webhook wants; `undefined` if its rules, selectors or match conditions do not
   * match. Throws 403 if a condition fails, unless failures of the webhook are ignored.
   */
  async requestFor(
    webhook: Webhook,
    attributes: AdmissionAttributes,
  ): Promise<VersionedAttributes | undefined> {
    const matched = this.#requests.match(webhook.criteria, attributes);
    if (matched === undefined) return undefined;
    const request = await versioned(attributes, matched);
    return this.#meetsConditions(webhook, request) ? request : undefined;
  }

  #meetsConditions({ conditions }: Webhook, request: VersionedAttributes): boolean {
    if (conditions.isEmpty) return true;
    const decision = conditions.decide(this.#inputs.inputOf(request));
    if (typeof decision === 'boolean') return decision;
    const { resource, name } = request.attributes;
    throw forbidden(resource.subject(name), decision.error);
  }
}
