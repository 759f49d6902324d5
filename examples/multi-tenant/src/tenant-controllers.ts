import { builtin, isDeleting, type Controller, type Manager } from '@keelson/manager';
import { reported, services, Tenant } from './custom-resources.ts';

// #region tenants
/** Adds the controller of tenants: it adds a controller for each Tenant, and stops it with the Tenant. */
export function addTenantController(manager: Manager): void {
  const reports = new Map<string, Controller>();
  manager.addController({
    name: 'tenants',
    for: Tenant,
    async reconcile({ name }, { cache, client, signal }) {
      const tenant = cache.get(Tenant, { name });
      if (tenant === undefined || isDeleting(tenant)) {
        await reports.get(name)?.stop();
        reports.delete(name);
        return;
      }
      await client.apply(builtin.Namespace, { metadata: { name } }, { signal });
      if (!reports.has(name)) reports.set(name, addReportController(manager, name));
    },
  });
}

/** Counts the reported services of a tenant in a ConfigMap. Each of its watches is a view of the watch of all tenants. */
function addReportController(manager: Manager, tenant: string): Controller {
  return manager.addController({
    name: `report-${tenant}`,
    watches: services.map((resource) => ({
      resource,
      namespaces: [tenant],
      labelSelector: `${reported}=true`,
      map: () => ({ namespace: tenant, name: 'report' }),
    })),
    async reconcile({ namespace, name }, { cache, client, signal }) {
      const data: Record<string, string> = {};
      for (const kind of services) {
        const { length } = cache.list(kind, { namespace }); // the services of this tenant only
        if (length > 0) data[kind.plural] = String(length);
      }
      await client.apply(builtin.ConfigMap, { metadata: { namespace, name }, data }, { signal });
    },
  });
}
// #endregion
