import { builtin, isNotFound } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { createInformerCache, type InformerCache, type WatchHandle } from '@keelson/informer';
import type { LeaseObject } from '../leader-election/lease-record.ts';
import type { ShardStates } from './peers.ts';
import type { ShardLeases } from './shard-member.ts';
import {
  SHARDING_LABEL,
  storedShard,
  withShardRecord,
  type ShardRecord,
  type StoredShard,
} from './shard-record.ts';

/** Selects all objects. Lists of custom resources echo no selector, so the probe lists Leases. */
const EVERY_UID = "shardRange(object.metadata.uid,'0x0000000000000000','0x10000000000000000')";

export interface ClientShardLeasesOptions {
  readonly client: Pick<Client, 'get' | 'list' | 'create' | 'update' | 'delete' | 'listerWatcher'>;
  readonly sharding: string;
  readonly namespace: string;
  /** Milliseconds after which one request counts as failed. */
  readonly timeout: number;
}

/** Reads, writes and watches the Leases of a sharding through the client of the manager. */
export class ClientShardLeases implements ShardLeases {
  readonly #options: ClientShardLeasesOptions;
  /** A cache of its own, without the overlay of own writes: a claim counts only when the watch has returned it. */
  readonly #cache: InformerCache;
  readonly #handle: WatchHandle<LeaseObject>;
  #states: ReadonlyMap<string, StoredShard> = new Map();

  constructor(options: ClientShardLeasesOptions) {
    const { client, namespace, sharding } = options;
    this.#options = options;
    this.#cache = createInformerCache({ listerWatcher: (query) => client.listerWatcher(query) });
    const labelSelector = `${SHARDING_LABEL}=${sharding}`;
    const query = { resource: builtin.Lease, namespace, labelSelector };
    this.#handle = this.#cache.acquire(query, { owner: 'sharding' });
    this.#handle.synced.catch(() => undefined);
  }

  /** Calls `observe` with the state of all Leases once they are known, and after each change. */
  async follow(observe: (states: ShardStates<StoredShard>) => void): Promise<void> {
    await this.#handle.synced;
    observe(this.#read());
    await this.#handle.addEventHandler(() => observe(this.#read())).synced;
  }

  /** Returns true if the API server obeys `shardSelector`. It echoes the selector in the metadata of this list. */
  async selectsShards(signal: AbortSignal): Promise<boolean> {
    const { client, namespace, timeout } = this.#options;
    const options = { namespace, limit: 1, shardSelector: EVERY_UID, signal, timeout };
    const { metadata } = await client.list(builtin.Lease, options);
    return metadata.shardInfo !== undefined;
  }

  close(): Promise<void> {
    return this.#cache.close();
  }

  async get(name: string, signal: AbortSignal): Promise<StoredShard | undefined> {
    const { client, namespace, timeout } = this.#options;
    try {
      const lease = await client.get(builtin.Lease, { namespace, name }, { signal, timeout });
      return storedShard(lease);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async create(name: string, record: ShardRecord, signal: AbortSignal): Promise<StoredShard> {
    const { client, namespace, sharding, timeout } = this.#options;
    const lease = withShardRecord({ metadata: { namespace, name } }, sharding, record);
    return storedShard(await client.create(builtin.Lease, lease, { signal, timeout }));
  }

  async update(old: StoredShard, record: ShardRecord, signal: AbortSignal): Promise<StoredShard> {
    const { client, sharding, timeout } = this.#options;
    const lease = withShardRecord(old.lease, sharding, record);
    return storedShard(await client.update(builtin.Lease, lease, { signal, timeout }));
  }

  async delete({ lease }: StoredShard, signal: AbortSignal): Promise<void> {
    const { client, namespace, timeout } = this.#options;
    const { name = '', uid = '', resourceVersion = '' } = lease.metadata ?? {};
    const preconditions = { uid, resourceVersion };
    await client.delete(builtin.Lease, { namespace, name }, { signal, timeout, preconditions });
  }

  /**
   * Reads the store, whose states are those of single moments of the server: a relist replaces it at once, and its
   * events follow later. Parses only the Leases that have changed.
   */
  #read(): ShardStates<StoredShard> {
    const { store } = this.#handle;
    const states = new Map<string, StoredShard>();
    for (const { namespace, name, resourceVersion } of store.views()) {
      const known = this.#states.get(name);
      const isKnown = known?.lease.metadata?.resourceVersion === resourceVersion;
      const lease = isKnown ? undefined : store.get({ namespace, name });
      const stored = lease === undefined ? known : storedShard(lease as LeaseObject);
      if (stored !== undefined) states.set(name, stored);
    }
    this.#states = states;
    return states;
  }
}
