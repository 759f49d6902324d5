import { builtin, isNotFound } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { recordOf, withRecord, type LeaseObject, type LeaseRecord } from './lease-record.ts';

/** A Lease as the server stores it. Its `resourceVersion` is the version of the lock. */
export interface StoredLease {
  readonly lease: LeaseObject;
  readonly record: LeaseRecord;
}

/** The Lease for which processes compete. Each write fails with 409 if another process wrote in between. */
export interface LeaseLock {
  /** `undefined` if the Lease does not exist. */
  get(signal: AbortSignal): Promise<StoredLease | undefined>;
  create(record: LeaseRecord, signal: AbortSignal): Promise<StoredLease>;
  /** Replaces the record of exactly this version of the Lease. */
  update(stored: StoredLease, record: LeaseRecord, signal: AbortSignal): Promise<StoredLease>;
  /** Yields the state of the Lease and each change; `undefined` when it was deleted. Ends with the watch. */
  changes(signal: AbortSignal): AsyncIterable<StoredLease | undefined>;
}

export interface ClientLeaseLockOptions {
  readonly client: Pick<Client, 'get' | 'create' | 'update' | 'watch'>;
  /** Called for each request, because the namespace is known only after the kubeconfig has been read. */
  readonly namespace: () => string;
  readonly name: string;
  /** Milliseconds after which one request counts as failed. */
  readonly timeout: number;
}

/** Reads and writes a Lease through the client of the manager. */
export class ClientLeaseLock implements LeaseLock {
  readonly #options: ClientLeaseLockOptions;

  constructor(options: ClientLeaseLockOptions) {
    this.#options = options;
  }

  get #name(): { readonly namespace: string; readonly name: string } {
    return { namespace: this.#options.namespace(), name: this.#options.name };
  }

  async get(signal: AbortSignal): Promise<StoredLease | undefined> {
    const { client, timeout } = this.#options;
    try {
      return stored(await client.get(builtin.Lease, this.#name, { signal, timeout }));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async create(record: LeaseRecord, signal: AbortSignal): Promise<StoredLease> {
    const { client, timeout } = this.#options;
    const lease = withRecord({ metadata: this.#name }, record);
    return stored(await client.create(builtin.Lease, lease, { signal, timeout }));
  }

  async update(old: StoredLease, record: LeaseRecord, signal: AbortSignal): Promise<StoredLease> {
    const { client, timeout } = this.#options;
    const lease = withRecord(old.lease, record);
    return stored(await client.update(builtin.Lease, lease, { signal, timeout }));
  }

  async *changes(signal: AbortSignal): AsyncGenerator<StoredLease | undefined, void, undefined> {
    const { client } = this.#options;
    const { namespace, name } = this.#name;
    const fieldSelector = `metadata.name=${name}`;
    for await (const event of client.watch(builtin.Lease, { namespace, fieldSelector, signal })) {
      if (event.type === 'BOOKMARK') continue;
      yield event.type === 'DELETED' ? undefined : stored(event.object);
    }
  }
}

function stored(lease: LeaseObject): StoredLease {
  return { lease, record: recordOf(lease) };
}
