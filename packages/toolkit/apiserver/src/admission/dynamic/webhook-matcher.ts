import { forbidden } from '../../status-errors/status-errors.ts';
import type { AdmissionAttributes } from './admission-attributes.ts';
import type { ExpressionInputs } from './expression-inputs.ts';
import type { RequestMatcher } from './request-matcher.ts';
import type { MatchedResource, VersionedAttributes } from './versioned-attributes.ts';
import type { Webhook } from './webhook-source.ts';

/** Decides which webhooks are called for a request. */
export class WebhookMatcher {
  readonly #requests: RequestMatcher;
  readonly #inputs: ExpressionInputs;

  constructor(requests: RequestMatcher, inputs: ExpressionInputs) {
    this.#requests = requests;
    this.#inputs = inputs;
  }

  /** Returns the resource by which the rules and selectors of a webhook match. */
  match({ criteria }: Webhook, attributes: AdmissionAttributes): MatchedResource | undefined {
    return this.#requests.match(criteria, attributes);
  }

  /** Evaluates the match conditions. Throws 403 if they fail, unless failures of the webhook are ignored. */
  meetsConditions({ conditions }: Webhook, request: VersionedAttributes): boolean {
    if (conditions.isEmpty) return true;
    const decision = conditions.decide(this.#inputs.inputOf(request));
    if (typeof decision === 'boolean') return decision;
    const { resource, name } = request.attributes;
    throw forbidden(resource.subject(name), decision.error);
  }
}
