import { resolve } from 'node:path';
import { isDefinedWebhook, type AnyWebhook } from '@keelson/webhook';
import { CliError } from '../errors.ts';
import { importedFrom } from './kind-modules.ts';

/**
 * Imports the webhook modules of a project, and returns their results of `defineWebhook`. Throws `MODULE_FAILED` for one
 * that cannot be imported, and `WEBHOOKS_NOT_FOUND` for one without a webhook.
 */
export async function loadWebhooks(
  folder: string,
  modules: readonly string[],
): Promise<readonly AnyWebhook[]> {
  const found = new Set<AnyWebhook>();
  for (const path of modules) {
    const file = resolve(folder, path);
    const webhooks = await importedFrom(file, (values) => values.filter(isDefinedWebhook));
    if (webhooks.length === 0) throw new CliError('WEBHOOKS_NOT_FOUND', { file });
    for (const webhook of webhooks) found.add(webhook);
  }
  return [...found];
}
