import { publishCaBundle } from '@keelson/webhook';
import type { Runnable, RunnableContext } from '../phases/runnable.ts';
import type { PublishedBundle } from './secret-certificate.ts';

/** Milliseconds between two comparisons. A changed `caBundle` makes every review fail, so they are frequent. */
const INTERVAL_MS = 10_000;

/** Keeps the `caBundle` of configurations and definitions equal to the authorities, in the leader. */
export function caBundleRunnable(published: () => PublishedBundle | undefined): Runnable {
  return {
    name: 'webhook-ca-bundle',
    phase: 'leader',
    async run(context) {
      const { signal } = context;
      let failure: string | undefined;
      while (!signal.aborted) {
        failure = await publishOnce(context, published(), failure);
        await context.sleep(INTERVAL_MS);
      }
    },
  };
}

/** Returns the text of a failure, which is logged once in a row. */
async function publishOnce(
  { client, log, signal }: RunnableContext,
  published: PublishedBundle | undefined,
  failed: string | undefined,
): Promise<string | undefined> {
  if (published === undefined) return failed;
  try {
    const changed = await publishCaBundle(client, published.bundle, published.targets);
    if (changed.length > 0) log.info({ objects: changed }, 'caBundle written');
    return undefined;
  } catch (error) {
    const failure = String(error);
    if (failure !== failed && !signal.aborted) log.error({ err: error }, 'caBundle not written');
    return failure;
  }
}
