import { builtin } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import type { TestEnvironment } from '@keelson/envtest';
import { quantile } from '../processes/process-cost.ts';
import type { Command, Metrics } from './protocol.ts';

type ReviewCommand = Extract<Command, { readonly name: 'review' }>;

const CONFIGURATION = 'bench';
/** The label of the objects that the webhook reviews. */
const REVIEWED = 'bench.keelson.dev/reviewed';
/** The writes with and without a review alternate in so many slices, so that other load affects both. */
const SLICES = 8;
/** A ConfigMap of about 2 KB, with the data of an ordinary one. */
const data = Object.fromEntries(
  Array.from({ length: 20 }, (_, index) => [`setting-${index}`, 'value '.repeat(12)]),
);

/** The durations of writes in milliseconds, and the time that all of them took. */
interface Writes {
  readonly durations: number[];
  took: number;
}

/**
 * Creates ConfigMaps, each as a dry run so that no store affects the time: half of them with a label, which the webhook of
 * a contender reviews. Returns what the review adds.
 */
export async function reviewLoad(
  environment: Pick<TestEnvironment, 'installWebhooks'>,
  client: Client,
  command: ReviewCommand,
): Promise<Metrics> {
  const { port, path, ca, count, atOnce } = command;
  await environment.installWebhooks([configurationOf(path)], {
    url: `https://127.0.0.1:${port}`,
    ca,
  });
  const plain: Writes = { durations: [], took: 0 };
  const reviewed: Writes = { durations: [], took: 0 };
  try {
    for (let slice = 0; slice < SLICES; slice += 1) {
      await write(client, plain, { count: count / SLICES, atOnce, isReviewed: false });
      await write(client, reviewed, { count: count / SLICES, atOnce, isReviewed: true });
    }
  } finally {
    await client.delete(builtin.MutatingWebhookConfiguration, { name: CONFIGURATION });
  }
  const added = (share: number): number =>
    (quantile(reviewed.durations, share) - quantile(plain.durations, share)) * 1000;
  return {
    addedP50: added(0.5),
    addedP99: added(0.99),
    reviewsPerSecond: (reviewed.durations.length / reviewed.took) * 1000,
    writesPerSecond: (plain.durations.length / plain.took) * 1000,
  };
}

async function write(
  client: Client,
  writes: Writes,
  options: { readonly count: number; readonly atOnce: number; readonly isReviewed: boolean },
): Promise<void> {
  const { count, atOnce, isReviewed } = options;
  let next = 0;
  const writer = async (): Promise<void> => {
    while (next++ < count) {
      const began = performance.now();
      const labels = { [REVIEWED]: String(isReviewed) };
      const metadata = { namespace: 'default', generateName: 'bench-', labels };
      const made = await client.create(builtin.ConfigMap, { metadata, data }, { dryRun: true });
      writes.durations.push(performance.now() - began);
      const isDefaulted = made.metadata.labels?.['defaulted'] === 'true';
      if (isDefaulted !== isReviewed) throw new Error('the webhook did not review the ConfigMap');
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: atOnce }, writer));
  writes.took += performance.now() - began;
}

function configurationOf(path: string): object {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: CONFIGURATION },
    webhooks: [
      {
        name: 'maps.bench.keelson.dev',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        clientConfig: { service: { namespace: 'default', name: 'bench', path } },
        objectSelector: { matchLabels: { [REVIEWED]: 'true' } },
        rules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            resources: ['configmaps'],
            operations: ['CREATE'],
          },
        ],
      },
    ],
  };
}
