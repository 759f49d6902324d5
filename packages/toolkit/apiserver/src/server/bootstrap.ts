import { randomUUID } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';
import { StatusError } from '@keelson/apimachinery';
import { bootstrapPolicy, type PolicyObject } from '../auth/rbac/bootstrap-policy.ts';
import { type AddressRange, showAddress } from '../resources/address-range.ts';
import type { ResourceRegistry } from '../resources/resource-registry.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import { timestamp } from '../schema/clock.ts';
import { keyOfMetadata } from '../storage/stored-object.ts';
import type { ApiObject } from '../storage/api-object.ts';
import type { ObjectWriter } from '../verbs/writes/object-writer.ts';
import {
  initialResource,
  type InitialWrite,
  type InitialWrites,
  initialWrites,
  storeInitial,
} from './new-cluster.ts';

export interface NewClusterOptions {
  readonly rbac: boolean;
  readonly services: AddressRange;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Creates the missing objects of a new cluster: namespaces, priority classes, priority levels, flow schemas, the Service
 * `kubernetes` with its IPAddress, and its range.
 */
export function bootstrap(
  registry: ResourceRegistry,
  writer: ObjectWriter,
  { rbac, services, now }: NewClusterOptions,
): void {
  const values = {
    time: timestamp(now),
    address: showAddress(services.first),
    range: services.text,
  };
  for (const writes of initialWrites('start', values)) storeInitial(registry, writes);
  for (const name of components) showComponent(registry, name);
  if (!rbac) return;
  for (const policy of bootstrapPolicy()) createPolicy(registry, writer, policy);
}

/** The address at which a server listens. */
export interface PublishedAddress {
  /** A name or an address that is not one of this machine becomes `127.0.0.1`. */
  readonly host: string;
  readonly port: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Writes the endpoints of the Service `kubernetes`, and the Lease by which the instances of an API server find each other. Those
 * of a snapshot name the address of the saved server and are replaced, as kube-apiserver does after a restart elsewhere.
 * kube-apiserver renews the Lease every ten seconds; here it stays as it is.
 */
export function publishAddress(
  registry: ResourceRegistry,
  writer: ObjectWriter,
  { host: name, port, now }: PublishedAddress,
): void {
  const host = isIP(name) === 0 || /^[0.:]+$/.test(name) ? '127.0.0.1' : name;
  const all = initialWrites('address', {
    time: timestamp(now),
    host,
    port,
    family: isIPv4(host) ? 'IPv4' : 'IPv6',
    peer: `${isIPv4(host) ? host : `[${host}]`}:${port}`,
    instance: randomUUID(),
    renewTime: `${new Date(now).toISOString().slice(0, -1)}000Z`,
  });
  for (const writes of all) advertise(registry, writer, writes);
}

/** Creates an object that names the address of the server, or replaces its content and its labels. */
function advertise(registry: ResourceRegistry, writer: ObjectWriter, writes: InitialWrites): void {
  if (storeInitial(registry, writes)) return;
  for (const write of writes) {
    const resource = initialResource(registry, write);
    try {
      replaceContent(resource, writer, write);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      // A snapshot may have an invalid object, which no update can mend.
      const stored = resource.store.get(keyOfMetadata(write.metadata));
      if (stored !== undefined) resource.store.remove(stored);
      storeInitial(registry, writes);
    }
  }
}

/** Replaces the content, the labels and the annotations of an object. The rest of its metadata stays. */
function replaceContent(
  resource: ServedResource,
  writer: ObjectWriter,
  { metadata, content: json }: InitialWrite,
): void {
  const content = JSON.parse(json) as Omit<ApiObject, 'metadata'>;
  const { labels, annotations } = metadata;
  const described = { ...(labels && { labels }), ...(annotations && { annotations }) };
  writer.update(resource, {
    key: keyOfMetadata(metadata),
    scope: '',
    options: { dryRun: false, fieldManager: 'kube-apiserver' },
    isValidated: false,
    next: (current) => {
      const next = { ...current, ...content, metadata: { ...current.metadata, ...described } };
      resource.schema.decode(next);
      resource.schema.setDefaults(next);
      return next;
    },
  });
}

/** The components whose health kube-apiserver shows. */
const components = ['scheduler', 'controller-manager', 'etcd-0'];

/** Shows a component as healthy. kube-apiserver computes these objects at each read, so they have no resourceVersion. */
function showComponent(registry: ResourceRegistry, name: string): void {
  const metadata = { name };
  const conditions = [{ type: 'Healthy', status: 'True', message: 'ok' }];
  const content = Buffer.from(`,${JSON.stringify({ metadata, conditions }).slice(1)}`);
  const statuses = { group: '', version: 'v1', plural: 'componentstatuses' };
  const { store } = initialResource(registry, statuses);
  store.load({ revision: 0, metadata, content });
}

/** Creates a role or a binding unless it exists. */
function createPolicy(
  registry: ResourceRegistry,
  writer: ObjectWriter,
  policy: PolicyObject,
): void {
  const resource = resourceOf(registry, policy);
  if (resource.store.get(keyOfMetadata(policy.metadata)) !== undefined) return;
  const complete: ApiObject = { ...structuredClone(policy) };
  resource.schema.decode(complete);
  resource.schema.setDefaults(complete);
  const options = { dryRun: false, fieldManager: 'kube-apiserver' };
  writer.create(resource, complete, { options, isValidated: false });
}

/** The resource of a kind that every server has. */
export function resourceOf(
  registry: ResourceRegistry,
  { apiVersion = '', kind = '' }: { readonly apiVersion?: string; readonly kind?: string },
): ServedResource {
  const resource = registry.byKind(apiVersion, kind);
  if (resource === undefined) throw new Error(`no resource for ${apiVersion} ${kind}`);
  return resource;
}
