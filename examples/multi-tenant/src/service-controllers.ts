import { isDeleting, type ApiResource, type DeepReadonly, type Manager } from '@keelson/manager';
import { services, Tenant, type Service } from './custom-resources.ts';

/** Makes the thing that a service describes. */
export type Provision = (kind: ApiResource, service: DeepReadonly<Service>) => Promise<void>;

// #region services
/** Adds one controller for each kind of service. Its tenants share its workers by their weights. */
export function addServiceControllers(manager: Manager, provision: Provision): void {
  for (const kind of services) {
    manager.addController({
      name: `service-${kind.plural}`,
      for: kind,
      reads: [Tenant],
      concurrency: 2,
      groupOf: ({ namespace }) => namespace, // the tenant
      weightOf: ([tenant = '']) => manager.cache.get(Tenant, { name: tenant })?.spec.weight,
      async reconcile({ namespace, name }, { cache, client, signal }) {
        const service = cache.get(kind, { namespace, name });
        if (service === undefined || isDeleting(service) || service.status?.ready === true) return;
        await provision(kind, service);
        const status = { ready: true };
        await client.status(kind).apply({ metadata: { namespace, name }, status }, { signal });
      },
    });
  }
}
// #endregion
