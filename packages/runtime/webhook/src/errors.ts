import { CodedError, type ErrorFacts } from '@keelson/apimachinery';

/** Every error code of this package, with its constant message; `docs/errors.md` gives cause and cure. */
export const webhookErrors = {
  CA_BUNDLE_CONFLICT: 'other clients keep changing an object with a caBundle',
  CERTIFICATE_SECRET_CONFLICT: 'other clients keep changing the Secret of the certificates',
  CERTIFICATE_SECRET_FOREIGN: 'the Secret of the certificates belongs to something else',
  DUPLICATE_WEBHOOK: 'a webhook of this name or path exists',
  REVIEW_INCOMPLETE: 'the body of the review did not arrive in time',
  REVIEW_INVALID: 'the body is not a review of the webhook',
  REVIEW_TOO_LARGE: 'the body of the review exceeds the limit',
  REVIEW_UNEXPECTED: 'the review is for a resource or an operation that the webhook does not have',
  WEBHOOK_FAILED: 'the handler of the webhook threw an error',
  WEBHOOK_RESULT: 'the result of the handler of the webhook is invalid',
  WEBHOOK_TIMEOUT: 'the handler of the webhook did not end in time',
} as const;

/** The `code` of an error of this package; user code may compare it. */
export type WebhookErrorCode = keyof typeof webhookErrors;

/** An error of this package: `code` is a key of `webhookErrors`, and `facts` describe the case. */
export class WebhookError extends CodedError<WebhookErrorCode> {
  override readonly name: string = 'WebhookError';

  constructor(code: WebhookErrorCode, facts: ErrorFacts = {}, options: { cause?: unknown } = {}) {
    super(code, webhookErrors[code], facts, options);
  }
}
