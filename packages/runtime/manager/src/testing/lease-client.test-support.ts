import { builtin, StatusError, type ApiResource } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import type { LeaseObject } from '../leader-election/lease-record.ts';
import { unusedClient } from './fixtures.test-support.ts';

/** A client whose requests for one Lease are served from memory, without network and timers. Every other request fails. */
export class LeaseClient {
  /** The stored Lease. */
  lease: LeaseObject | undefined;
  readonly client: Client;
  #version = 0;

  constructor() {
    const client: Client = Object.assign(Object.create(unusedClient()) as Client, {
      get: (resource: ApiResource) => this.#get(resource),
      create: (resource: ApiResource, lease: LeaseObject) => this.#write(resource, lease),
      update: (resource: ApiResource, lease: LeaseObject) => this.#write(resource, lease),
      watch: (resource: ApiResource, { signal }: { signal: AbortSignal }) =>
        silentWatch(resource, signal),
      withFieldManager: () => client,
      withWriteGuard: () => client,
      withWriteObserver: () => client,
    });
    this.client = client;
  }

  async #get(resource: ApiResource): Promise<LeaseObject> {
    requireLease(resource);
    if (this.lease !== undefined) return this.lease;
    throw new StatusError({
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      code: 404,
      reason: 'NotFound',
    });
  }

  async #write(resource: ApiResource, lease: LeaseObject): Promise<LeaseObject> {
    requireLease(resource);
    this.#version += 1;
    this.lease = { ...lease, metadata: { ...lease.metadata, resourceVersion: `${this.#version}` } };
    return this.lease;
  }
}

/** A watch without events, which ends with its signal. */
function silentWatch(resource: ApiResource, signal: AbortSignal): AsyncIterable<never> {
  requireLease(resource);
  const next = async (): Promise<IteratorResult<never, undefined>> => {
    if (!signal.aborted)
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    return { done: true, value: undefined };
  };
  return { [Symbol.asyncIterator]: () => ({ next }) };
}

function requireLease({ kind }: ApiResource): void {
  if (kind !== builtin.Lease.kind) throw new Error(`unexpected request for ${kind}`);
}
