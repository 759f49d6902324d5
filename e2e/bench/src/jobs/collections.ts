import { builtin } from '@keelson/apimachinery';
import { CollectionCount } from '../processes/collections.ts';
import { cpuSeconds, peakMegabytes } from '../processes/process-cost.ts';
import type { Job } from '../servers/protocol.ts';
import { quietManager } from './reconcile.ts';

const PER = 10_000;

/**
 * Counts the garbage collections of a controller at a steady rate of events, which lead to reconciles that read their
 * objects. The first second is a warm-up.
 */
export const collections: Job = async ({ options, server, ask }) => {
  const [perSecond, events] = [Number(options['perSecond']), Number(options['events'])];
  const manager = quietManager(server.url);
  const [warm, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let seen = 0;
  const handle = manager.cache.acquire({ resource: builtin.Pod }, { owner: 'bench' });
  // Events are counted, because changes of one object may become one reconcile.
  const registration = handle.addEventHandler(({ type }) => {
    if (type !== 'updated') return;
    seen += 1;
    if (seen === perSecond) warm.resolve();
    if (seen === perSecond + events) done.resolve();
  });
  manager.addController({
    name: 'bench',
    for: builtin.Pod,
    concurrency: Number(options['concurrency']),
    async reconcile({ namespace, name }, { cache }) {
      if (cache.get(builtin.Pod, { namespace, name }) === undefined) throw new Error('no pod');
      await Promise.resolve();
    },
  });
  const ended = manager.start();
  await Promise.race([registration.synced, ended]);
  const sent = ask({ name: 'pace', perSecond, count: perSecond + events });
  await Promise.race([warm.promise, ended]);
  const count = new CollectionCount();
  const cpuBefore = cpuSeconds();
  await Promise.race([done.promise, ended]);
  const cpu = cpuSeconds() - cpuBefore;
  const { major, minor } = await count.stop();
  await sent;
  const of = (value: number): number => (value * PER) / events;
  return {
    major: of(major),
    minor: of(minor),
    cpu: of(cpu),
    peakRss: peakMegabytes(),
  };
};
