import {
  defineResource,
  type ApiResource,
  type ClusterScopedObject,
  type KubernetesObject,
} from '@keelson/manager';

const group = 'platform.keelson.dev';
const version = 'v1';

/** A customer of the platform: a namespace of the same name, and a controller that reports what is in it. */
export interface Tenant extends ClusterScopedObject {
  /** The share of the workers, compared with other tenants. */
  spec: { weight: number };
}

export const Tenant = defineResource<Tenant>({
  group,
  version,
  kind: 'Tenant',
  plural: 'tenants',
  scope: 'Cluster',
});

/** A service that a tenant ordered. */
export interface Service extends KubernetesObject {
  spec: { size: number };
  status?: { ready?: boolean };
}

/** The 30 kinds of services that the platform offers. */
export const services: readonly ApiResource<Service>[] = [
  'App',
  'Job',
  'Function',
  'Workflow',
  'Schedule',
  'Gateway',
  'Route',
  'Domain',
  'Certificate',
  'Database',
  'Cache',
  'Queue',
  'Topic',
  'Stream',
  'Bucket',
  'Volume',
  'Backup',
  'Search',
  'Mailbox',
  'Webhook',
  'Dashboard',
  'Alert',
  'Trace',
  'Log',
  'Flag',
  'Token',
  'Vault',
  'Model',
  'Notebook',
  'Report',
].map((kind) => {
  return defineResource<Service>({ group, version, kind, plural: `${kind.toLowerCase()}s` });
});

/** Services with this label appear in the report of their tenant. */
export const reported = 'platform.keelson.dev/reported';
