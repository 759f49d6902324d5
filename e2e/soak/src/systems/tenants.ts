import { definitions } from '@keelson/example-multi-tenant/custom-resource-definitions';
import { reported, services, Tenant } from '@keelson/example-multi-tenant/custom-resources';
import { addControllers } from '@keelson/example-multi-tenant/operator';
import { builtin, isDeleting } from '@keelson/manager';
import { attempt, deleteAll, oneOf, remaining } from './objects.ts';
import type { System } from './system.ts';

const tenants = Array.from({ length: 6 }, (_, index) => `tenant-${index}`);
/** The kinds in use: 30 kinds would need too many objects for each to have some. */
const used = services.slice(0, 5);

/** `examples/multi-tenant`: 30 kinds, and a controller for each tenant. */
export const tenantSystem: System = {
  name: 'tenants',
  definitions,
  addTo: (manager) => addControllers(manager),

  async act(client, random) {
    const [name, kind] = [oneOf(tenants, random), oneOf(used, random)];
    const key = { namespace: name, name: `service-${Math.floor(random() * 4)}` };
    const labels: Record<string, string> = random() < 0.7 ? { [reported]: 'true' } : {};
    const change = random();
    await attempt(async () => {
      if (change < 0.1) await client.create(Tenant, { metadata: { name }, spec: { weight: 1 } });
      else if (change < 0.13) await client.delete(Tenant, { name });
      else if (change < 0.7) {
        await client.create(kind, { metadata: { ...key, labels }, spec: { size: 1 } });
      } else await client.delete(kind, key);
    });
  },

  async unsettled(client) {
    const lines: string[] = [];
    const counts = new Map<string, number>();
    for (const kind of used) {
      for (const { metadata, status } of (await client.list(kind)).items) {
        const { namespace, name, labels } = metadata;
        if (status?.ready !== true) lines.push(`${kind.kind} ${namespace}/${name} is not ready`);
        const report = `${namespace} ${kind.plural}`;
        if (labels?.[reported] === 'true') counts.set(report, (counts.get(report) ?? 0) + 1);
      }
    }
    for (const { metadata } of (await client.list(Tenant)).items) {
      const key = { namespace: metadata.name, name: 'report' };
      const report = await client.get(builtin.ConfigMap, key).catch(() => undefined);
      for (const { plural } of used) {
        const wanted = counts.get(`${metadata.name} ${plural}`) ?? 0;
        const shown = Number(report?.data?.[plural] ?? 0);
        if (shown !== wanted)
          lines.push(`${metadata.name} reports ${shown} ${plural} of ${wanted}`);
      }
    }
    return lines;
  },

  async clear(client) {
    await deleteAll(client, Tenant);
    for (const kind of used) await deleteAll(client, kind);
    for (const name of tenants) await attempt(() => client.delete(builtin.Namespace, { name }));
  },

  async left(client) {
    const namespaces = (await client.list(builtin.Namespace)).items.filter(({ metadata }) =>
      tenants.includes(metadata.name),
    );
    // A controller that had not seen the end of its tenant may have created the namespace again.
    for (const namespace of namespaces) {
      if (!isDeleting(namespace)) await client.delete(builtin.Namespace, namespace.metadata);
    }
    return [
      ...(await remaining(client, Tenant)),
      ...namespaces.map(({ metadata }) => `Namespace ${metadata.name} exists`),
    ];
  },
};
