import { abortable, endsWithin, invalidOption, type Clock } from '@keelson/apimachinery';
import type { Client, WriteGuard } from '@keelson/client';
import type { InformerCache } from '@keelson/informer';
import { ManagerError } from '../errors.ts';
import { electionTime, sleep, type ElectionTime } from '../leader-election/election-time.ts';
import type { Logger } from '../logging/logger.ts';
import type { Phase } from '../phases/phase.ts';
import { ClientShardLeases } from './client-shard-leases.ts';
import { share } from './ring.ts';
import type { ShardGate, ShardReplicas, ShardedSource } from '../run/shard-gate.ts';
import type { ShardingMetrics, ShardReading } from '../metrics/sharding-metrics.ts';
import { ShardMember, type ShardObserver } from './shard-member.ts';
import type { ShardingSettings } from './sharding-options.ts';
import { slotOf } from './slots.ts';
import type { ShardPart } from '../sources/shard-part.ts';
import { LabelKeeper } from './label-keeper.ts';
import { ShardParts } from './shard-parts.ts';
import { SlotLoading } from './slot-loading.ts';
import type { SlotSet } from './slot-set.ts';

export interface ShardingHost {
  /** Reads and writes the Leases; not guarded. */
  readonly client: Client;
  readonly cache: Pick<InformerCache, 'acquire'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: { sharding(name: string, read: () => ShardReading): ShardingMetrics };
  readonly ready: { add(name: string, check: () => void): unknown };
  readonly controllers: Pick<ShardObserver, 'started' | 'draining'> & ShardedWatches;
  /** Called when the Lease was lost. Writes of the phase `shards` are already refused. */
  readonly lost: (error: ManagerError) => void;
}

/** The watches of the controllers, which follow the slots. No promise rejects. */
export interface ShardedWatches {
  /** Makes the watches follow the slots that this replica caches. */
  followParts(): Promise<void>;
  /** Watches the clusters whose slots this replica has claimed, and no others. */
  followClusters(): void;
  /** Drops the requests that wait for slots that another replica runs. */
  dropMoved(): void;
  /** Resolves when the watches of all clusters have synced, or cannot. */
  clustersSettled(): Promise<void>;
}

/**
 * Milliseconds for which a replica that joins waits for the lists of its clusters. A cluster that does not respond must not
 * keep it from its other clusters.
 */
const CLUSTER_LISTS_MS = 5_000;

/** The sharding of a manager: joins the ring, decides which requests run here, and guards their writes. */
export class Sharding implements ShardGate {
  readonly #settings: ShardingSettings;
  readonly #host: ShardingHost;
  readonly #log: Logger;
  readonly #stop = new AbortController();
  readonly #time: ElectionTime;
  #namespace: string | undefined;
  #leases: ClientShardLeases | undefined;
  readonly #member: ShardMember;
  /** `undefined` with the mode `full`. */
  readonly #parts: ShardParts | undefined;
  /** Only with the mode `label`. */
  readonly #labels: LabelKeeper | undefined;
  readonly #loading: SlotLoading;
  #following: Promise<void> | undefined;
  /** With whole clusters as shards, the slots that this replica will probably claim; `undefined` once it claims. */
  #planned: SlotSet | undefined;
  /** The claimed slots that the caches follow; `undefined` before the first claim. */
  #used: string | undefined;
  #isCheckDue = false;
  #wasLost = false;
  #reportedBy = false;

  constructor(settings: ShardingSettings, host: ShardingHost) {
    const { name, lease, identity, scheme, timings } = settings;
    this.#settings = settings;
    this.#namespace = settings.namespace;
    this.#host = host;
    this.#time = electionTime(host.clock);
    this.#log = host.log.child({ sharding: name, identity });
    const metrics = host.metrics.sharding(name, () => this.#read());
    this.#loading = new SlotLoading({
      version: () => this.#parts?.version ?? 0,
      load: () => host.controllers.followParts(),
      loaded: (slots, waited) => {
        metrics.moved(slots.length);
        for (const milliseconds of waited) metrics.handedOver(milliseconds);
        host.controllers.started(slots, waited);
      },
      now: () => this.#time.now(),
    });
    this.#member = new ShardMember({
      name: lease,
      identity,
      scheme: scheme.id,
      leases: {
        get: (...read) => this.#connected.get(...read),
        create: (...write) => this.#connected.create(...write),
        update: (...write) => this.#connected.update(...write),
        delete: (...write) => this.#connected.delete(...write),
      },
      timings,
      time: this.#time,
      log: this.#log,
      observer: {
        moved: () => this.#useSlots(),
        started: (slots, waited) => {
          this.#loading.add(slots, waited);
          this.#labels?.sweep();
        },
        draining: (slots, drained) => {
          metrics.moved(slots.length);
          this.#loading.remove(slots);
          host.controllers.draining(slots, (slot) => {
            drained(slot);
            this.#useSlotsSoon();
          });
        },
        lost: (error) => {
          this.#wasLost = true;
          host.lost(error);
        },
      },
    });
    this.#labels = settings.mode === 'label' ? this.#createLabels() : undefined;
    this.#parts = settings.mode === 'full' ? undefined : this.#createParts();
    host.ready.add('shards', () => this.#checkOwners());
  }

  /** True once the Lease was lost, which ends the manager. */
  get wasLost(): boolean {
    return this.#wasLost;
  }

  /** The client for work of the phase `shards`, whose writes are refused while this process is not a member of the ring. */
  clientOf(phase: Phase, client: Client): Client {
    const guard: WriteGuard = this.#member;
    return phase === 'shards' ? client.withWriteGuard(guard) : client;
  }

  slotOf(request: object, key: string): number {
    const { scheme } = this.#settings;
    return scheme.slotOf(scheme.partOf(request, key, this.#byFailed));
  }

  slotOfCluster(name: string): number | undefined {
    return this.#isByCluster ? slotOf(name) : undefined;
  }

  /** True if a replica watches whole clusters. */
  get #isByCluster(): boolean {
    return this.#settings.scheme.id === 'cluster';
  }

  placeOf(slot: number): ReturnType<ShardGate['placeOf']> {
    if (this.#planned?.has(slot) === true) return 'soon';
    const state = this.#member.stateOf(slot);
    if (state === 'owned') return this.#loading.has(slot) ? 'soon' : 'here';
    if (state === 'claimed') return 'soon';
    return this.#member.settled.has(slot) ? 'elsewhere' : 'moving';
  }

  get replicas(): ShardReplicas {
    return this.#member;
  }

  get usesLabels(): boolean {
    return this.#labels !== undefined;
  }

  partOf(source: ShardedSource): ShardPart | undefined {
    return this.#parts?.of(source);
  }

  /**
   * Prepares the caches, unless they hold all objects: they begin with the slots that this replica will probably run.
   * With whole clusters as shards, these clusters are listed beside the main one. Resolves at once after the stop.
   */
  async prepare(): Promise<void> {
    const parts = this.#parts;
    if (parts === undefined && !this.#isByCluster) return;
    const { signal } = this.#stop;
    try {
      await abortable(this.#follow(), [signal]);
      const { planned } = this.#member;
      if (this.#isByCluster) {
        this.#planned = planned;
        this.#host.controllers.followClusters();
      }
      if (parts === undefined) return;
      parts.use(planned);
      if (this.#settings.mode === 'server') parts.isSelectedByServer = await this.#probe(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Reports the first failure: all others are probably the same. */
  readonly #byFailed = (error: unknown, key: string): void => {
    if (this.#reportedBy) return;
    this.#reportedBy = true;
    this.#log.error(
      { request: key, err: error },
      'the function `by` of the sharding failed, so that the key of the request decides its slot',
    );
  };

  /** Settles the namespace of the Leases. Throws `INVALID_OPTION` if neither the options nor the cluster name one. */
  useNamespaceOf(cluster: { readonly namespace?: string } | undefined): void {
    this.#namespace ??= cluster?.namespace;
    if (this.#namespace !== undefined) return;
    const reason = 'must be given, because the cluster does not name a namespace';
    throw invalidOption('createManager.sharding.namespace', reason);
  }

  /** Joins the ring. Resolves when the Lease is stored, or the manager stops first. */
  async join(): Promise<void> {
    const { signal } = this.#stop;
    try {
      await abortable(this.#follow(), [signal]);
      if (this.#isByCluster) {
        await abortable(endsWithin(this.#host.controllers.clustersSettled(), CLUSTER_LISTS_MS), [
          signal,
        ]);
      }
      this.#planned = undefined;
      await this.#member.join();
      // Some planned slots may not have been claimed.
      this.#useSlots();
      this.#labels?.start();
      this.#log.info({ namespace: this.#namespace }, 'joined the ring');
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Gives up all slots: each as soon as its runs have ended. The next owners write the labels that are due. */
  leave(): void {
    this.#stop.abort(new ManagerError('STOPPING'));
    void this.#labels?.stop();
    this.#member.leave();
  }

  /**
   * Ends the membership within this many milliseconds. Deletes the Lease, unless components still run: another replica
   * must not run their requests before.
   */
  async end(milliseconds: number, stillRunning: readonly string[]): Promise<void> {
    this.leave();
    const late = new AbortController();
    const isClean = stillRunning.length === 0;
    const ended = this.#member.end(isClean, late.signal).catch((error: unknown) => {
      this.#log.warn({ err: error }, 'the Lease was not deleted and will expire');
    });
    if (!isClean) this.#log.info({ stillRunning }, 'left the Lease to expire');
    if (!(await endsWithin(ended, milliseconds))) late.abort(new ManagerError('STOPPING'));
    await Promise.all([ended, this.#labels?.stop()]);
    await this.#leases?.close();
  }

  /** Observes the Leases. Resolves when they are known. */
  #follow(): Promise<void> {
    this.#following ??= this.#connected.follow((states) => this.#member.observe(states));
    return this.#following;
  }

  /** Repeats the probe until the API server responds. */
  async #probe(signal: AbortSignal): Promise<boolean> {
    const { timings } = this.#settings;
    for (;;) {
      try {
        const selects = await this.#connected.selectsShards(signal);
        if (!selects) {
          this.#log.warn(
            { mode: 'filtered' },
            'the API server ignores shardSelector, so that each replica receives all objects',
          );
        }
        return selects;
      } catch (error) {
        signal.throwIfAborted();
        this.#log.warn({ err: error }, 'the probe for shardSelector failed');
        await sleep(this.#time, timings.retryPeriod, signal);
      }
    }
  }

  #createLabels(): LabelKeeper {
    const { cache, client, clock } = this.#host;
    return new LabelKeeper({
      client: this.clientOf('shards', client),
      cache,
      clock,
      log: this.#log,
      isOwned: (slot) => this.#member.stateOf(slot) === 'owned',
    });
  }

  #createParts(): ShardParts {
    const { name, isByNamespace, scheme } = this.#settings;
    const keeper = this.#labels;
    return new ShardParts({
      name,
      // A label is only for children: other objects of a namespace are not changed.
      isByNamespace: isByNamespace && keeper === undefined,
      labels: keeper && { scheme: scheme.id, keeper },
      slotOf: (request, key) => this.slotOf(request, key),
    });
  }

  /** Caches the objects of the slots that the Lease claims. */
  #useSlots(): void {
    this.#host.controllers.dropMoved();
    const claimed = this.#member.slots.claimed();
    const text = String(claimed);
    if (text === this.#used) return;
    this.#used = text;
    if (this.#isByCluster) this.#host.controllers.followClusters();
    if (this.#parts?.use(claimed) === true) void this.#loading.follow();
  }

  /** As `#useSlots`, once for all slots whose drains end now. */
  #useSlotsSoon(): void {
    if (this.#isCheckDue) return;
    this.#isCheckDue = true;
    queueMicrotask(() => {
      this.#isCheckDue = false;
      this.#useSlots();
    });
  }

  /** The Leases, from the first use on, when the namespace is known. */
  get #connected(): ClientShardLeases {
    return (this.#leases ??= new ClientShardLeases({
      client: this.#host.client,
      sharding: this.#settings.name,
      namespace: this.#namespace as string,
      // Two attempts fit into the renew deadline, as in leader election.
      timeout: this.#settings.timings.renewDeadline / 2,
    }));
  }

  #read(): ShardReading {
    const { slots, ring } = this.#member;
    return {
      owned: slots.count('owned') - this.#loading.size,
      wanted: share(ring, this.#settings.lease),
      unowned: slots.unownedFor(0, this.#time.now()),
      selectedByServer: this.usesLabels || this.#parts?.isSelectedByServer === true,
      unlabelled: this.#labels?.pending ?? 0,
    };
  }

  /** Throws `SHARDS_UNOWNED` if no replica has run some slots for longer than a Lease. */
  #checkOwners(): void {
    const { name: sharding, timings } = this.#settings;
    const slots = this.#member.slots.unownedFor(timings.leaseDuration, this.#time.now());
    if (slots > 0) throw new ManagerError('SHARDS_UNOWNED', { sharding, slots });
  }
}
