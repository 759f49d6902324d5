import type { AdmissionAttributes } from './admission-attributes.ts';
import type { VersionedAttributes } from './versioned-attributes.ts';
import type { WebhookCaller } from './webhook-caller.ts';
import type { WebhookMatcher } from './webhook-matcher.ts';
import type { Webhook, WebhookSource } from './webhook-source.ts';

/**
 * Calls the validating webhooks of a request at the same time and waits for all of them. Source:
 * `webhook/validating/dispatcher.go` of kube-apiserver's admission.
 */
export class ValidatingWebhooks {
  readonly #source: WebhookSource;
  readonly #matcher: WebhookMatcher;
  readonly #caller: WebhookCaller;

  constructor(source: WebhookSource, matcher: WebhookMatcher, caller: WebhookCaller) {
    this.#source = source;
    this.#matcher = matcher;
    this.#caller = caller;
  }

  get isEmpty(): boolean {
    return this.#source.isEmpty;
  }

  /** Throws the first refusal that arrived. */
  async validate(attributes: AdmissionAttributes): Promise<void> {
    const calls: { webhook: Webhook; request: VersionedAttributes }[] = [];
    for (const webhook of this.#source.webhooks()) {
      const request = await this.#matcher.requestFor(webhook, attributes);
      if (request !== undefined) calls.push({ webhook, request });
    }
    const refusals: unknown[] = [];
    await Promise.all(
      calls.map(({ webhook, request }) =>
        this.#caller
          .call(webhook.spec, request, false)
          .catch((error: unknown) => void refusals.push(error)),
      ),
    );
    if (refusals.length > 0) throw refusals[0];
  }
}
