import type { SeenMetadata } from '../views/live-view.ts';
import { loadView } from '../views/load-view.ts';
import { microseconds, SENT } from '../servers/pod-stream.ts';
import { quantile } from '../processes/process-cost.ts';
import type { Job } from '../servers/protocol.ts';

/** Measures the time from the server's write to the handler at a steady rate. The first second is a warm-up. */
export const latency: Job = async ({ options, server, ask }) => {
  const perSecond = Number(options['perSecond']);
  const events = Number(options['events']);
  const create = await loadView(String(options['view']));
  const finished = Promise.withResolvers<void>();
  const delays: number[] = [];
  const onEvent = ({ annotations }: SeenMetadata): void => {
    const sent = annotations?.[SENT];
    if (sent === undefined) return;
    delays.push(microseconds() - Number(sent));
    if (delays.length === events) finished.resolve();
  };
  const view = await create({ server, tls: false, handlers: 1, onEvent });
  await view.start();
  const sent = ask({ name: 'pace', perSecond, count: events });
  await finished.promise;
  await sent;
  const warm = delays.slice(perSecond);
  return { p50: quantile(warm, 0.5), p99: quantile(warm, 0.99), max: quantile(warm, 1) };
};
