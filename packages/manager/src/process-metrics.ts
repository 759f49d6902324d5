import { collectDefaultMetrics, Registry, type Metric } from 'prom-client';
import { once } from './once.ts';

/**
 * What prom-client tells of the process. Collected once for all managers, as there is one process:
 * prom-client's observers of the garbage collector and of the event loop cannot be taken back.
 */
const collected = once(async () => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
});

/** Puts the metrics of the process on a registry that does not have them yet. Returns the way to take them off. */
export async function shareProcessMetrics(registry: Registry): Promise<() => void> {
  const source = await collected();
  const added: string[] = [];
  for (const { name } of source.getMetricsAsArray()) {
    if (registry.getSingleMetric(name) !== undefined) continue;
    registry.registerMetric(source.getSingleMetric(name) as Metric);
    added.push(name);
  }
  return () => {
    for (const name of added) registry.removeSingleMetric(name);
  };
}
