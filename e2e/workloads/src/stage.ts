import { setTimeout as sleep } from 'node:timers/promises';
import {
  builtin,
  type ApiResource,
  type DeepReadonly,
  type KubernetesObject,
  type Persisted,
} from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import type { InformerCache } from '@keelson/manager';
import type { PodRules } from '@keelson/workloads';
import type { Kind, Operation, Session, VolumeSpec } from './session.ts';

/** A cluster in which sessions are played. */
export interface Cluster {
  readonly name: string;
  readonly client: Client;
  /** Reads the compared kinds, without requests. */
  readonly cache: InformerCache;
  readonly pods: PodRules;
}

/** The objects and Events that a session leaves. */
export interface Outcome {
  readonly objects: readonly Persisted[];
  readonly events: readonly CoreEvent[];
  /** The operations that the server refused, by their place. */
  readonly refused: readonly number[];
}

export type CoreEvent = Persisted<
  KubernetesObject & {
    readonly type?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly count?: number;
    readonly source?: { readonly component?: string };
    readonly involvedObject: { readonly kind?: string; readonly name?: string };
  }
>;

const { Deployment, ReplicaSet, StatefulSet, DaemonSet, Job, CronJob } = builtin;
const { PersistentVolume, PersistentVolumeClaim } = builtin;
const resources: Readonly<Record<Kind, ApiResource>> = {
  Deployment,
  ReplicaSet,
  StatefulSet,
  DaemonSet,
  Job,
  CronJob,
  PersistentVolumeClaim,
};

/** The kinds whose objects are compared. */
export const compared: readonly ApiResource[] = [
  Deployment,
  ReplicaSet,
  StatefulSet,
  DaemonSet,
  Job,
  CronJob,
  builtin.ControllerRevision,
  builtin.Pod,
  builtin.EndpointSlice,
  PersistentVolumeClaim,
  PersistentVolume,
];

/** Milliseconds without a change after which a cluster counts as quiet: longer than any delay of a controller. */
const QUIET_MS = 2500;
const POLL_MS = 250;
/** The longest wait for quiet. */
const MAX_WAIT_MS = 40_000;

/** Plays one session in a namespace of its own. */
export class Stage {
  readonly #cluster: Cluster;
  readonly #namespace: string;
  readonly #session: Session;
  /** The volumes that the session has created. */
  #volumes = 0;

  constructor(cluster: Cluster, namespace: string, session: Session) {
    this.#cluster = cluster;
    this.#namespace = namespace;
    this.#session = session;
  }

  async play(): Promise<Outcome> {
    const { client, pods } = this.#cluster;
    const { kind, spec, behaviour, volumes, operations } = this.#session;
    const namespace = this.#namespace;
    const rules = [pods.when({ namespace }, behaviour)];
    const refused: number[] = [];
    await client.create(builtin.Namespace, { metadata: { name: namespace } });
    await client.create(builtin.Service, {
      metadata: { namespace, name: 'web' },
      spec: { clusterIP: 'None', selector: { app: 'web' }, ports: [{ port: 80 }] },
    });
    for (const volume of volumes) await this.#createVolume(volume);
    if (volumes.length > 0) await this.#quiet();
    const workload = { metadata: { namespace, name: 'web' }, spec: this.#inSession(spec) };
    await client.create(resources[kind], workload);
    await this.#quiet();
    for (const [at, operation] of operations.entries()) {
      if ('pods' in operation) rules.push(pods.when({ namespace }, operation.pods));
      else if (!(await this.#apply(operation))) refused.push(at);
      await this.#quiet();
    }
    const outcome = { objects: await this.#objects(), events: await this.#events(), refused };
    for (const rule of rules) rule[Symbol.dispose]();
    await client.delete(builtin.Namespace, { name: namespace });
    for (const { metadata } of this.#cached(PersistentVolume))
      await client.delete(PersistentVolume, metadata);
    return outcome;
  }

  /** Returns false if the server refused the operation. */
  async #apply(operation: Exclude<Operation, { pods: unknown }>): Promise<boolean> {
    const { client } = this.#cluster;
    const resource = resources[this.#session.kind];
    const name = { namespace: this.#namespace, name: 'web' };
    try {
      if ('change' in operation) {
        const body = { spec: this.#inSession(operation.change.spec) };
        await client.patch(resource, name, { type: 'strategic', body });
      } else if ('missedDays' in operation) {
        const { schedule } = operation;
        await client.patch(CronJob, name, { type: 'merge', body: { spec: { schedule } } });
        // The change of a schedule alone starts nothing, and must not come together with the missed start.
        await this.#quiet();
        const lastScheduleTime = startOfDay(operation.missedDays);
        const body = { status: { lastScheduleTime } };
        await client.status(CronJob).patch(name, { type: 'merge', body });
      } else if ('volume' in operation) await this.#createVolume(operation.volume);
      else if ('deleteVolume' in operation)
        await client.delete(PersistentVolume, { name: this.#volumeName(operation.deleteVolume) });
      else if ('remove' in operation)
        await client.delete(resource, name, { propagationPolicy: operation.remove });
      else await this.#deletePod(operation.deletePod);
      return true;
    } catch {
      return false;
    }
  }

  async #deletePod(at: number): Promise<void> {
    const { client } = this.#cluster;
    const { items } = await client.list(builtin.Pod, { namespace: this.#namespace });
    const pod = items.toSorted((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1))[
      at
    ];
    if (pod !== undefined) await client.delete(builtin.Pod, pod.metadata);
  }

  async #createVolume({ labels, gibibytes, spec, reservedFor }: VolumeSpec): Promise<void> {
    const namespace = this.#namespace;
    const place = this.#volumes++;
    const name = this.#volumeName(place);
    const claimRef =
      reservedFor === undefined ? {} : { claimRef: { namespace, name: reservedFor } };
    // No two are equally large, because which of those is bound is random.
    const capacity = { storage: `${gibibytes * 1024 + place}Mi` };
    await this.#cluster.client.create(PersistentVolume, {
      metadata: { name, labels },
      spec: { ...spec, ...claimRef, capacity, storageClassName: namespace },
    });
  }

  #volumeName(place: number): string {
    return `${this.#namespace}-${place}`;
  }

  /** A spec whose claims and volumes are those of the session alone. */
  #inSession(spec: Readonly<Record<string, unknown>>): Record<string, unknown> {
    if (this.#session.kind !== 'PersistentVolumeClaim') return spec;
    const { volumeName, ...others } = spec;
    const named =
      volumeName === undefined ? {} : { volumeName: this.#volumeName(Number(volumeName)) };
    return { ...others, ...named, storageClassName: this.#namespace };
  }

  async #objects(): Promise<Persisted[]> {
    const lists = compared.map(async (resource) => {
      const scope = resource.namespaced ? { namespace: this.#namespace } : {};
      const { items } = await this.#cluster.client.list(resource, scope);
      return items.filter((object) => this.#isOwn(object));
    });
    return (await Promise.all(lists)).flat();
  }

  /** The objects of the session in the cache. */
  #cached(resource: ApiResource): readonly Seen[] {
    const scope = resource.namespaced ? { namespace: this.#namespace } : {};
    return this.#cluster.cache.list(resource, scope).filter((object) => this.#isOwn(object));
  }

  #isOwn({ kind, metadata }: Seen): boolean {
    return kind !== 'PersistentVolume' || metadata.name.startsWith(`${this.#namespace}-`);
  }

  async #events(): Promise<CoreEvent[]> {
    const { items } = await this.#cluster.client.list(builtin.Event, {
      namespace: this.#namespace,
    });
    return items;
  }

  /** Waits until no object of the session has changed for a while, and nothing is under way. */
  async #quiet(): Promise<void> {
    let last = '';
    let since = performance.now();
    const end = since + MAX_WAIT_MS;
    while (performance.now() < end) {
      await sleep(POLL_MS);
      const objects = compared.flatMap((resource) => this.#cached(resource));
      const now = objects
        .map(({ metadata }) => `${metadata.uid}@${metadata.resourceVersion}`)
        .join();
      if (now !== last || objects.some(isUnderWay)) since = performance.now();
      if (performance.now() - since >= QUIET_MS) return;
      last = now;
    }
  }
}

type Seen = DeepReadonly<Persisted>;

const DAY_MS = 86_400_000;

/** The start of a former day, which both clusters compute alike. */
function startOfDay(daysAgo: number): string {
  const today = Math.floor(Date.now() / DAY_MS);
  return `${new Date((today - daysAgo) * DAY_MS).toISOString().slice(0, 19)}Z`;
}

/** True for an object that a controller or a kubelet has not looked at yet. */
function isUnderWay(object: Seen): boolean {
  const { metadata } = object;
  if (metadata.deletionTimestamp !== undefined) return true;
  if (object.kind === 'Pod') return isNew(object);
  if (object.kind === 'PersistentVolume') return !isDetermined(object);
  return isAwaited(object) || isUnobserved(object);
}

/** True for a volume whose phase a controller has set. */
function isDetermined(object: Seen): boolean {
  const { status } = object as Seen & { status?: { phase?: string } };
  return (status?.phase ?? 'Pending') !== 'Pending';
}

function isUnobserved(object: Seen): boolean {
  const { metadata, status } = object as Seen & { status?: { observedGeneration?: number } };
  const { observedGeneration } = status ?? {};
  return observedGeneration !== undefined && observedGeneration < (metadata.generation ?? 0);
}

/** True for a Pod without a node or without a status of its containers. */
function isNew(object: Seen): boolean {
  const { spec, status } = object as Seen & {
    spec: { nodeName?: string };
    status: { containerStatuses?: unknown; conditions?: readonly { reason?: string }[] };
  };
  if (spec.nodeName === undefined)
    return !(status.conditions ?? []).some(({ reason }) => reason === 'Unschedulable');
  return status.containerStatuses === undefined;
}

/** True for a Job that creates its next Pod after a backoff, or that ends at its deadline. */
function isAwaited(object: Seen): boolean {
  const { kind, spec, status } = object as Seen & {
    spec?: { suspend?: boolean; parallelism?: number; activeDeadlineSeconds?: number };
    status?: { active?: number; conditions?: readonly { type: string }[] };
  };
  if (kind !== 'Job' || spec?.suspend === true) return false;
  const hasEnded = status?.conditions?.some(({ type }) => type === 'Complete' || type === 'Failed');
  if (hasEnded === true) return false;
  if (spec?.activeDeadlineSeconds !== undefined) return true;
  return spec?.parallelism !== 0 && (status?.active ?? 0) === 0;
}
