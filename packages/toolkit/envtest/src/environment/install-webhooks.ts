import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  builtin,
  type ApiResource,
  type ClusterScopedObject,
  type KubernetesObject,
  StatusError,
} from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { EnvtestError } from '../errors.ts';
import { checkWebhookRules } from './check-webhook-rules.ts';
import { installCrds } from './install-crds.ts';
import type { WebhookObjects } from './webhook-objects.ts';

const PROBE_INTERVAL_MS = 20;

type Configurations = ApiResource<ClusterScopedObject>;

const kinds: readonly (readonly [keyof WebhookObjects, Configurations])[] = [
  ['validating', builtin.ValidatingWebhookConfiguration],
  ['mutating', builtin.MutatingWebhookConfiguration],
];

/**
 * Creates or updates webhook configurations and definitions, and waits until they are in effect. Throws
 * `WEBHOOK_KIND_NOT_SERVED`, `WEBHOOKS_NOT_ACTIVE` and `CRD_NOT_ESTABLISHED`.
 */
export async function installWebhooks(
  client: Client,
  objects: WebhookObjects,
  timeout: number,
): Promise<void> {
  await installCrds(client, objects.definitions, timeout);
  await checkWebhookRules(client, [...objects.validating, ...objects.mutating]);
  for (const [kind, resource] of kinds) {
    const configurations = objects[kind];
    if (configurations.length === 0) continue;
    for (const each of configurations) await apply(client, resource, each);
    await untilActive(client, resource, timeout);
  }
}

async function apply(
  client: Client,
  resource: Configurations,
  object: KubernetesObject,
): Promise<void> {
  await client.apply(resource, object as ClusterScopedObject, { force: true });
}

/**
 * Waits until kube-apiserver has read the last configuration. It reads them in the order of their changes, so that a later one
 * shows it: a webhook that cannot be called refuses a ConfigMap with a label of its own, which is sent as a dry run.
 */
async function untilActive(
  client: Client,
  resource: Configurations,
  timeout: number,
): Promise<void> {
  const name = `keelson-envtest-${randomUUID()}`;
  const deadline = Date.now() + timeout;
  await client.create(resource, probeOf(name));
  try {
    while (!(await isRefused(client, name))) {
      if (Date.now() > deadline)
        throw new EnvtestError('WEBHOOKS_NOT_ACTIVE', { kind: resource.kind });
      await sleep(PROBE_INTERVAL_MS);
    }
  } finally {
    await client.delete(resource, { name });
  }
}

const label = 'keelson-envtest/probe';

function probeOf(name: string): object {
  return {
    metadata: { name },
    webhooks: [
      {
        name: 'probe.envtest.keelson',
        clientConfig: { url: 'https://127.0.0.1:1/' },
        rules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            operations: ['CREATE'],
            resources: ['configmaps'],
          },
        ],
        objectSelector: { matchLabels: { [label]: name } },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        timeoutSeconds: 1,
      },
    ],
  };
}

async function isRefused(client: Client, name: string): Promise<boolean> {
  const metadata = { namespace: 'default', name, labels: { [label]: name } };
  try {
    await client.create(builtin.ConfigMap, { metadata }, { dryRun: true });
    return false;
  } catch (error) {
    if (error instanceof StatusError && error.message.includes('probe.envtest.keelson'))
      return true;
    throw error;
  }
}
