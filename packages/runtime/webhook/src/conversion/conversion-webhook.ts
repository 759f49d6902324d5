import { checkMethods, hasCode, ignoreRejections, invalidOption } from '@keelson/apimachinery';
import type { CallUser } from '../admission/admission-webhook.ts';
import { isWebhookPath } from '../admission/check-webhook.ts';
import { isRecord, type JsonRecord } from '../admission/json-value.ts';
import { WebhookError } from '../errors.ts';
import type { Endpoint } from '../endpoint.ts';
import { withIntegersOfObjects } from '../integers/review-integers.ts';
import { conversionProblem } from './check-converted.ts';

/** A kind with several versions, such as one of `defineKind` of `@keelson/schema`. */
export interface ConvertibleVersions {
  /** The definition, whose `spec.conversion` names the path of the webhook. */
  readonly crd: object;
  /** Returns the response to a ConversionReview. Throws `CONVERSION_FAILED` for a body that is not one. */
  readonly review: (body: unknown) => object;
}

/** The API server waits for a conversion for up to 30 seconds. */
const TIMEOUT_SECONDS = 30;

/**
 * Converts objects between the versions of a definition, at the path that its conversion stanza names. Throws
 * `INVALID_OPTION` for a definition without a conversion webhook, or whose path is not one of a webhook.
 */
export function conversionEndpoint(
  versions: ConvertibleVersions,
  call: (name: string) => CallUser,
  where: string,
): Endpoint {
  checkMethods(versions, ['review'], where);
  const name = nameOf(versions.crd, where);
  const path = pathOf(versions.crd, where);
  const asUser = call(name);
  return {
    name,
    path,
    timeoutSeconds: TIMEOUT_SECONDS,
    respond: async (body) => {
      const result: unknown = await reviewed(() => asUser(() => versions.review(body)));
      const reason = isRecord(result)
        ? conversionProblem(body, result)
        : 'review must return an object';
      if (reason !== undefined) ignoreRejections(result);
      if (reason !== undefined) throw new WebhookError('WEBHOOK_RESULT', { webhook: name, reason });
      return result as JsonRecord;
    },
    restoreIntegers: (review, body) => withIntegersOfObjects(review, body, name),
  };
}

/** A body that is not a ConversionReview is a mistake of its sender, and a failed conversion is a response. */
async function reviewed(review: () => unknown): Promise<unknown> {
  try {
    return await review();
  } catch (cause) {
    if (!hasCode(cause, 'CONVERSION_FAILED')) throw cause;
    const reason = 'the body is not a ConversionReview of apiextensions.k8s.io/v1';
    throw new WebhookError('REVIEW_INVALID', { reason }, { cause });
  }
}

function nameOf(crd: unknown, where: string): string {
  const { name } = members(members(crd)['metadata']);
  if (typeof name !== 'string' || name === '') {
    throw invalidOption(`${where}.crd`, 'must be a CustomResourceDefinition with a name');
  }
  return name;
}

function pathOf(crd: unknown, where: string): string {
  const { conversion } = members(members(crd)['spec']);
  const { service, url } = members(members(members(conversion)['webhook'])['clientConfig']);
  if (service === undefined && url === undefined) {
    throw invalidOption(`${where}.crd`, 'must have a conversion by a webhook');
  }
  const path = typeof url === 'string' ? URL.parse(url)?.pathname : members(service)['path'];
  if (!isWebhookPath(path)) {
    const option = `${where}.crd.spec.conversion.webhook.clientConfig`;
    throw invalidOption(option, 'must have a path of DNS subdomains such as /convert');
  }
  return path;
}

function members(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}
