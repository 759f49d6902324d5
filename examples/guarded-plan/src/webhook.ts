// #region webhook
import { ExecutionGuard } from '@keelson/intent';
import {
  webhookConfigurations,
  type ConfigurationOptions,
  type DefinedWebhook,
} from '@keelson/manager/webhooks';
import { GuardedService } from './custom-resource.ts';

/**
 * Refuses changes of the spec while a plan runs. Every replica reviews, and only the one that runs the plan knows it from
 * the guard, so that the status decides too.
 */
export function planWebhook(
  guard: ExecutionGuard,
): DefinedWebhook<typeof GuardedService, 'UPDATE', undefined> {
  return guard.webhook({ name: 'guarded-plan', resource: GuardedService, isRunning });
}

function isRunning({ status }: Pick<GuardedService, 'status'>): boolean {
  return status?.phase === 'Running';
}

/** The configuration with which API servers call the webhook. */
export function planConfigurations(
  service: ConfigurationOptions['service'],
): ReturnType<typeof webhookConfigurations> {
  return webhookConfigurations([planWebhook(new ExecutionGuard())], {
    name: 'guarded-plan',
    service,
  });
}
// #endregion
