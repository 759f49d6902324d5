import { Instance } from '@keelson/example-plan-operator/custom-resource';
import { instanceDefinition } from '@keelson/example-plan-operator/custom-resource-definition';
import { ImageRegistry } from '@keelson/example-plan-operator/image-registry';
import { addControllers } from '@keelson/example-plan-operator/operator';
import { createPlans } from '@keelson/example-plan-operator/plans';
import { builtin, type Client } from '@keelson/manager';
import { attempt, deleteAll, oneOf, remaining } from './objects.ts';
import type { System } from './system.ts';

const instances = Array.from({ length: 6 }, (_, index) => ({
  namespace: 'default',
  name: `instance-${index}`,
}));
/** The last one does not exist, so its plan fails for good. */
const versions = ['1', '2', '3', '9'];

/** `examples/plan-operator`: plans of phases and steps, which survive a change of the leader. */
export const planSystem: System = {
  name: 'plans',
  definitions: [instanceDefinition],
  addTo: (manager) => addControllers(manager, { plans: createPlans(new ImageRegistry()) }),

  async act(client, random) {
    const metadata = oneOf(instances, random);
    const spec = { version: oneOf(versions, random), replicas: 1 + Math.floor(random() * 5) };
    const change = random();
    await attempt(async () => {
      if (change < 0.3) await client.create(Instance, { metadata, spec });
      else if (change < 0.9)
        await client.patch(Instance, metadata, { type: 'merge', body: { spec } });
      else await client.delete(Instance, metadata);
    });
  },

  async unsettled(client) {
    const lines: string[] = [];
    for (const { metadata, spec, status } of (await client.list(Instance)).items) {
      const { name, generation } = metadata;
      if (status?.activePlan !== null && status?.activePlan?.status !== 'FatalError') {
        lines.push(`Instance ${name} runs ${status?.activePlan?.plan}`);
      } else if (status.activePlan === null && status.observedGeneration !== generation) {
        lines.push(`Instance ${name} is at ${status.observedGeneration} of ${generation}`);
      }
      if (status?.activePlan !== null) continue;
      const made = await client
        .get(builtin.ConfigMap, { namespace: 'default', name: `${name}-servers` })
        .catch(() => undefined);
      if (made?.data?.['version'] !== spec.version) {
        lines.push(`Instance ${name} has version ${made?.data?.['version']} of ${spec.version}`);
      }
    }
    return lines;
  },

  clear: (client) => deleteAll(client, Instance),

  async left(client) {
    return [...(await remaining(client, Instance)), ...(await partsOf(client))];
  },
};

/** The parts of Instances that exist, a line each. */
async function partsOf(client: Client): Promise<string[]> {
  const { items } = await client.list(builtin.ConfigMap, { namespace: 'default' });
  const parts = items.filter(({ metadata }) => metadata.name.startsWith('instance-'));
  return parts.map(({ metadata }) => `ConfigMap ${metadata.name} exists`);
}
