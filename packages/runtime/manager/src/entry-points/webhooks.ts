/**
 * Admission webhooks of a manager: the options of `addWebhook`, the arguments and results of handlers, and the reviews of
 * the API server.
 *
 * - `defineWebhook` declares a webhook apart from the manager that serves it, and `webhookConfigurations` makes the objects
 *   with which the API server calls it.
 * - `ValidateArguments` and `MutateArguments` are the arguments of handlers. `deny` refuses a review.
 *
 * @module
 */

export {
  defineWebhook,
  deny,
  webhookConfigurations,
  WebhookError,
  webhookErrors,
  webhookService,
  type AdmissionRequest,
  type AnyWebhook,
  type ConfigurationOptions,
  type ConvertibleVersions,
  type DefinedWebhook,
  type Denial,
  type DenyOptions,
  type GroupVersionKind,
  type GroupVersionResource,
  type MatchCondition,
  type MutateArguments,
  type MutateResult,
  type ObjectIn,
  type Operation,
  type RegistrationOptions,
  type ReviewedObject,
  type UserInfo,
  type ValidateArguments,
  type ValidatedKind,
  type ValidateResult,
  type WebhookErrorCode,
  type WebhookLogger,
  type WebhookOptions,
  type WebhookResource,
  type WebhookServiceOptions,
} from '@keelson/webhook';
export type {
  CertificateSecretPlace,
  GivenCertificate,
  WebhookServerOptions,
} from '../servers/server-options.ts';
