import { customKind } from '../../servers/custom-kind.ts';
import type { Job } from '../../servers/protocol.ts';
import { quietManager } from '../reconcile.ts';

/** The time that a reconcile waits for its responses. */
const RECONCILE_MS = 4;

/**
 * Measures the time from the start of a controller until it first reconciles an object that does not change, while others
 * change all the time, and until it has reconciled every object.
 */
export const waited: Job = async ({ options, server, ask }) => {
  const [objects, concurrency] = [Number(options['objects']), Number(options['concurrency'])];
  const manager = quietManager(server.url);
  const waiting = `thing-${objects - 1}`;
  const reached = Promise.withResolvers<number>();
  const all = Promise.withResolvers<number>();
  const seen = new Set<string>();
  manager.addController({
    name: 'waited',
    for: customKind(0),
    concurrency,
    async reconcile({ name }) {
      if (name === waiting) reached.resolve(performance.now());
      await new Promise((resolve) => {
        setTimeout(resolve, RECONCILE_MS);
      });
      seen.add(name);
      if (seen.size === objects) all.resolve(performance.now());
    },
  });
  const [perSecond, among] = [Number(options['perSecond']), Number(options['among'])];
  await ask({ name: 'churn', perSecond, among });
  const start = performance.now();
  const failed = manager.start().then(() => Promise.reject(new Error('the manager ended')));
  const [first, last] = await Promise.race([Promise.all([reached.promise, all.promise]), failed]);
  return { waiting: (first - start) / 1000, all: (last - start) / 1000 };
};
