import { WebhookCallError } from '../../webhooks/webhook-call-error.ts';
import type { AdmissionAttributes } from './admission-attributes.ts';
import type { AdmissionResponse } from './admission-review.ts';
import { applyWebhookPatch } from './apply-patch.ts';
import type { MutationRounds } from './reinvocation.ts';
import { takeObject, type VersionedAttributes } from './versioned-attributes.ts';
import { throwUnlessIgnored, type WebhookCaller } from './webhook-caller.ts';
import type { WebhookMatcher } from './webhook-matcher.ts';
import type { Webhook, WebhookSource } from './webhook-source.ts';

/**
 * Calls the mutating webhooks of a request one after the other, each with the object as the ones before left it. Source:
 * `webhook/mutating/dispatcher.go` of kube-apiserver's admission.
 */
export class MutatingWebhooks {
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

  async admit(attributes: AdmissionAttributes, rounds: MutationRounds): Promise<void> {
    const state = rounds.webhooks;
    if (rounds.isSecond && state.hasChanged(attributes.object)) state.requireAgain();
    for (const webhook of this.#source.webhooks()) {
      const request = await this.#matcher.requestFor(webhook, attributes);
      if (request === undefined) continue;
      // A webhook that the first round did not call is not called in the second round either.
      if (rounds.isSecond && !state.isRequired(webhook.id)) continue;
      if (await this.#call(webhook, request)) {
        state.requireAgain();
        rounds.needsSecond = true;
      }
      if (webhook.spec.reinvocationPolicy === 'IfNeeded') state.addInvoked(webhook.id);
    }
    state.setOutput(attributes.object);
  }

  /** Returns true if the webhook changed the object. */
  async #call({ spec }: Webhook, request: VersionedAttributes): Promise<boolean> {
    const response = await this.#caller.call(spec, request, true);
    if (response === undefined) return false;
    const changed = patched(spec, response, request);
    await takeObject(request);
    return changed;
  }
}

function patched(
  spec: Webhook['spec'],
  response: AdmissionResponse,
  request: VersionedAttributes,
): boolean {
  try {
    return applyWebhookPatch(spec, response, request);
  } catch (error) {
    if (!(error instanceof WebhookCallError)) throw error;
    return throwUnlessIgnored(spec, error.message) ?? false;
  }
}
