import { until } from '@keelson/example-support';
import { findCondition, type Client, type Persisted } from '@keelson/manager';
import { admits } from './admits.ts';
import { Instance, type InstanceSpec } from './custom-resource.ts';
import type { ImageRegistry } from './image-registry.ts';

/** Deploys an Instance, upgrades it during an outage, to a version that does not exist, and back. */
export async function tour(
  client: Client,
  registry: ImageRegistry,
  say: (line: string) => void,
): Promise<void> {
  const name = { namespace: 'default', name: 'shop' };
  const reached = async (holds: (instance: Instance) => boolean): Promise<Persisted<Instance>> => {
    const found = await until(client, Instance, name, (instance) => {
      return instance !== undefined && holds(instance);
    });
    if (found === undefined) throw new Error('the Instance was deleted');
    return found;
  };
  const change = (spec: Partial<InstanceSpec>): Promise<Persisted<Instance>> =>
    client.patch(Instance, name, { type: 'merge', body: { spec } });

  await client.create(Instance, { metadata: name, spec: { version: '1', replicas: 3 } });
  await reached(isIdle(1));
  say('created Instance shop in version 1: plan deploy is complete, no plan is active');

  registry.outage = new Error('the registry is down');
  await change({ version: '2' });
  const busy = await reached(({ status }) => status?.activePlan?.status === 'Error');
  say(`changed it to version 2 while the registry is down: ${readyOf(busy)}`);

  const later = { ...busy, spec: { version: '2', replicas: 5 } };
  const admission = admits(busy, later);
  say(`a webhook would refuse a change now: ${admission.allowed ? 'no' : admission.message}`);
  await change({ replicas: 5 });
  registry.outage = undefined;
  await reached(isIdle(3));
  say('changed replicas to 5 without a webhook, and the registry is up: upgrade, then scale');

  await change({ version: '9' });
  const failed = await reached(({ status }) => status?.activePlan?.status === 'FatalError');
  say(`changed it to version 9: ${readyOf(failed)}`);

  await change({ version: '2' });
  await reached(isIdle(5));
  say('changed it back to version 2: plan upgrade is complete, no plan is active');
}

function isIdle(generation: number): (instance: Instance) => boolean {
  return ({ status }) => status?.activePlan === null && status.observedGeneration === generation;
}

function readyOf({ status }: Instance): string {
  const ready = findCondition(status?.conditions, 'Ready');
  return `Ready is ${ready?.status}, ${ready?.reason} (${ready?.message})`;
}
