import type { KubernetesObject } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { EnvtestError } from '../errors.ts';

/** The members of a webhook that name kinds. Other types are refused by the API server. */
interface Webhook {
  readonly name?: unknown;
  readonly matchPolicy?: unknown;
  readonly rules?: readonly Rule[] | null;
}

type Rule = Readonly<
  Record<'apiGroups' | 'apiVersions' | 'resources', readonly string[] | undefined>
>;

/**
 * Throws `WEBHOOK_KIND_NOT_SERVED` for a rule of webhook configurations of which no resource is served: the API server accepts
 * it and never calls the webhook. A wildcard names any resource.
 */
export async function checkWebhookRules(
  client: Client,
  configurations: readonly KubernetesObject[],
): Promise<void> {
  for (const configuration of configurations) {
    const { webhooks } = configuration as { webhooks?: readonly Webhook[] };
    for (const webhook of webhooks ?? []) {
      for (const rule of webhook.rules ?? []) {
        if (await isServed(client, rule, webhook.matchPolicy === 'Exact')) continue;
        const { apiGroups, apiVersions, resources } = rule;
        throw new EnvtestError('WEBHOOK_KIND_NOT_SERVED', {
          kind: configuration.kind,
          name: configuration.metadata?.name,
          webhook: webhook.name,
          apiGroups: apiGroups?.join(', '),
          apiVersions: apiVersions?.join(', '),
          resources: resources?.join(', '),
        });
      }
    }
  }
}

/** With the policy `Equivalent`, the default, another version of the resource is enough. */
async function isServed(client: Client, rule: Rule, isExact: boolean): Promise<boolean> {
  const { apiGroups = [], apiVersions = [], resources = [] } = rule;
  for (const group of apiGroups) {
    for (const resource of resources) {
      const [plural = ''] = resource.split('/', 1);
      if (group === '*' || plural === '*') return true;
      const found = (version?: string): Promise<unknown> =>
        client.discovery.find({ group, plural, version });
      if (!isExact || apiVersions.includes('*')) {
        if ((await found()) !== undefined) return true;
        continue;
      }
      for (const version of apiVersions) {
        if ((await found(version)) !== undefined) return true;
      }
    }
  }
  return false;
}
