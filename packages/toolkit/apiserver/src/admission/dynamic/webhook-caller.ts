import { randomUUID } from 'node:crypto';
import { type Status, StatusError } from '@keelson/apimachinery';
import type { JsonObject } from '@keelson/structural-schema';
import { badRequest, internalError } from '../../status-errors/status-errors.ts';
import { WebhookCallError } from '../../webhooks/webhook-call-error.ts';
import type { WebhookClient } from '../../webhooks/webhook-client.ts';
import {
  admissionReview,
  type AdmissionResponse,
  checkedResponse,
  InvalidResponseError,
} from './admission-review.ts';
import type { VersionedAttributes } from './versioned-attributes.ts';
import type { WebhookSpec } from './webhook-source.ts';

/** Calls admission webhooks. Source: `callHook` of `webhook/validating/dispatcher.go` of kube-apiserver's admission. */
export class WebhookCaller {
  readonly #client: WebhookClient;

  constructor(client: WebhookClient) {
    this.#client = client;
  }

  /**
   * Sends a review to a webhook. Returns `undefined` if the call failed and the webhook's failures are ignored. Throws the
   * `StatusError` of the response: the denial, or 500 if the call failed.
   */
  async call(
    spec: WebhookSpec,
    versioned: VersionedAttributes,
    mutating: boolean,
  ): Promise<AdmissionResponse | undefined> {
    checkDryRun(spec, versioned);
    try {
      const response = await this.#responseOf(spec, versioned, mutating);
      versioned.attributes.warnings.push(...response.warnings);
      if (!response.allowed) throw denial(spec.name, response.status);
      return response;
    } catch (error) {
      if (!(error instanceof WebhookCallError)) throw error;
      return throwUnlessIgnored(spec, error.message);
    }
  }

  async #responseOf(
    spec: WebhookSpec,
    versioned: VersionedAttributes,
    mutating: boolean,
  ): Promise<AdmissionResponse> {
    const version = spec.admissionReviewVersions.find(
      (each) => each === 'v1' || each === 'v1beta1',
    );
    if (version !== 'v1' && version !== 'v1beta1') {
      throw new WebhookCallError(
        'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
      );
    }
    const uid = randomUUID();
    const review = await this.#send(spec, admissionReview(uid, version, versioned));
    try {
      return checkedResponse(review, { uid, version, mutating });
    } catch (error) {
      throw error instanceof InvalidResponseError
        ? reworded('received invalid webhook response', error)
        : reworded('failed to call webhook', error);
    }
  }

  async #send(
    { clientConfig, timeoutSeconds }: WebhookSpec,
    review: JsonObject,
  ): Promise<JsonObject> {
    const timeout = timeoutSeconds === undefined ? {} : { timeoutSeconds };
    try {
      return await this.#client.call({ config: clientConfig, review, ...timeout });
    } catch (error) {
      throw reworded('failed to call webhook', error);
    }
  }
}

/** Throws 500 for a failed call, unless failures of the webhook are ignored. */
export function throwUnlessIgnored(
  { name, failurePolicy = 'Fail' }: WebhookSpec,
  why: string,
): undefined {
  if (failurePolicy === 'Ignore') return undefined;
  throw internalError(`failed calling webhook ${JSON.stringify(name)}: ${why}`);
}

function reworded(step: string, error: unknown): unknown {
  return error instanceof WebhookCallError
    ? new WebhookCallError(`${step}: ${error.message}`, error.code, { cause: error })
    : error;
}

/** A dry run calls only webhooks that declare to have no side effects. */
function checkDryRun(
  { name, sideEffects = '' }: WebhookSpec,
  { attributes }: VersionedAttributes,
): void {
  if (!attributes.dryRun || sideEffects === 'None' || sideEffects === 'NoneOnDryRun') return;
  throw badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`);
}

/** The response for a denial: the Status of the webhook, with at least 400 as its code. */
function denial(name: string, status: JsonObject = {}): StatusError {
  const { message, reason, code, details, metadata } = status;
  const denied = `admission webhook ${JSON.stringify(name)} denied the request`;
  const texts = [message, reason].filter((each) => typeof each === 'string');
  const why = texts.find((each) => each !== '');
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: (metadata ?? {}) as Status['metadata'] & object,
    status: 'Failure',
    message: why === undefined ? `${denied} without explanation` : `${denied}: ${why}`,
    ...(typeof reason === 'string' && reason !== '' && { reason }),
    ...(details !== undefined && details !== null && { details: details as object }),
    code: typeof code === 'number' && code >= 400 ? code : 400,
  });
}
