/**
 * Admission and conversion webhooks: their definitions, the protocol of the API server, and the responses to its requests. A manager
 * serves them (`addWebhook` and `addConversion` of `@keelson/manager`).
 *
 * - The handler of a webhook gets frozen objects, and only the draft of mutate can be changed.
 * - A JSON patch changes the object of the review into the result of mutate.
 * - A handler that throws, has an invalid result or takes too long fails the review with a code, and its error is not sent.
 * - A request that is not a review of the webhook is refused before the handler is called.
 * - The body of a request is bounded in size and time.
 * - Replicas that issue or renew certificates at the same time agree on one, and never change a Secret of something else.
 * - Every certificate is renewed before two thirds of its life, and its authority is published before and while it is used.
 * - Two webhooks of one server have neither the same name nor the same path.
 * - Invalid options throw at the call, and the error names the option.
 *
 * @module
 */

// Definitions
export type {
  MatchCondition,
  RegistrationOptions,
  ValidatedKind,
  WebhookOptions,
} from './admission/webhook-options.ts';
export { operations, type Operation } from './admission/operation.ts';

// Configurations
export {
  defineWebhook,
  isDefinedWebhook,
  type AnyWebhook,
  type DefinedWebhook,
} from './configuration/define-webhook.ts';
export {
  webhookConfigurations,
  webhookService,
  type ConfigurationOptions,
  type WebhookServiceOptions,
} from './configuration/webhook-configurations.ts';

// Handlers
export type {
  MutateArguments,
  MutateResult,
  ObjectIn,
  ReviewedObject,
  ValidateArguments,
  ValidateResult,
  WebhookResource,
} from './admission/handler-arguments.ts';
export { deny, type Denial, type DenyOptions } from './admission/denial.ts';
export type { WebhookLogger } from './admission/webhook-logger.ts';

// Reviews
export type {
  AdmissionRequest,
  AdmissionResponse,
  AdmissionReview,
  GroupVersionKind,
  GroupVersionResource,
  UserInfo,
} from './admission/admission-review.ts';

// Conversions
export type { ConvertibleVersions } from './conversion/conversion-webhook.ts';

// Responses
export {
  WebhookEndpoints,
  type WebhookEndpointsOptions,
  type WebhookHttpResponse,
  type WebhookObserver,
} from './http/webhook-endpoints.ts';
export type { WebhookHttpRequest } from './http/review-body.ts';
export type { ReviewFacts } from './http/review-facts.ts';
export type { CallUser, HandlerServices } from './admission/admission-webhook.ts';

// Certificates
export {
  CertificateSecret,
  type CertificateSecretOptions,
} from './certificates/certificate-secret.ts';
export {
  publishCaBundle,
  type Authorities,
  type CaBundleTargets,
} from './certificates/ca-bundle.ts';

// Errors
export { WebhookError, webhookErrors, type WebhookErrorCode } from './errors.ts';
