import type { WebhookResource } from '../admission/handler-arguments.ts';
import type { Operation } from '../admission/operation.ts';
import type { WebhookOptions } from '../admission/webhook-options.ts';
import { checkWebhook } from '../admission/check-webhook.ts';

/** Identifies the declarations of every copy of this package, for tools that import modules of a project. */
const brand: unique symbol = Symbol.for('keelson.webhook.declaration') as never;

/** Any webhook, whatever its kinds and operations, which only its name describes to the compiler. */
export type AnyWebhook = Pick<WebhookOptions, 'name'>;

/** A checked declaration of a webhook, for `addWebhook` and `webhookConfigurations`. */
export type DefinedWebhook<
  R extends WebhookResource = WebhookResource,
  Op extends Operation = Operation,
  Subresource extends string | undefined = string | undefined,
> = WebhookOptions<R, Op, Subresource> & { readonly [brand]: true };

/**
 * Declares a webhook apart from the manager that serves it, so that its configuration can be written from the same
 * declaration. Throws `INVALID_OPTION`.
 */
export function defineWebhook<
  const R extends WebhookResource,
  const Op extends Operation = 'CREATE' | 'UPDATE',
  const Subresource extends string | undefined = undefined,
>(options: WebhookOptions<R, Op, Subresource>): DefinedWebhook<R, Op, Subresource> {
  checkWebhook(options as unknown as WebhookOptions, 'defineWebhook');
  return Object.freeze({ ...options, [brand]: true as const });
}

/** True for a result of `defineWebhook`, also of another copy of the package. */
export function isDefinedWebhook(value: unknown): value is AnyWebhook {
  return typeof value === 'object' && value !== null && brand in value;
}
