import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ApiResource,
  builtin,
  isNotFound,
  type KubernetesObject,
  type Persisted,
} from '@keelson/apimachinery';
import { createClient, type Client } from '@keelson/client';
import { normalOutcome } from '@keelson/e2e-workloads';
import { ControlledCluster, type Server } from '../kubernetes/cluster.ts';
import { errorsOf } from './log-errors.ts';
import type { Change, Kind } from './plan.ts';

const { CronJob, DaemonSet, Deployment, Job, StatefulSet } = builtin;
type Workload = KubernetesObject & { readonly spec?: object };

const workloads: Readonly<Record<Kind, ApiResource<Workload>>> = {
  CronJob,
  DaemonSet,
  Deployment,
  Job,
  StatefulSet,
};

/** The kinds that are compared. ReplicaSets and ControllerRevisions keep a history, which depends on the time of each sync. */
const compared: readonly ApiResource[] = [
  ...Object.values(workloads),
  builtin.Pod,
  builtin.EndpointSlice,
  builtin.ResourceQuota,
  builtin.HorizontalPodAutoscaler,
];

/** Milliseconds without a change after which a cluster counts as quiet: longer than a poll of any controller. */
const QUIET_MS = 20_000;
const MAX_QUIET_MS = 300_000;

/** The state of one cluster after a storm. */
export interface StormOutcome {
  /** The objects in normal form. */
  readonly objects: readonly string[];
  /** The errors in the log of kube-controller-manager, each once. */
  readonly errors: readonly string[];
}

/** Plays a storm in a new cluster. */
export async function playStorm(server: Server, changes: readonly Change[]): Promise<StormOutcome> {
  await using cluster = await ControlledCluster.start(server);
  await using client = createClient({ cluster: cluster.cluster });
  const namespaces = [...new Set(changes.map(({ namespace }) => namespace))];
  for (const namespace of namespaces) await prepare(client, namespace);
  const start = performance.now();
  const own = Map.groupBy(changes, ({ namespace }) => namespace);
  await Promise.all(Array.from(own.values(), (each) => applyAll(client, each, start)));
  await quiet(client);
  const objects: string[] = [];
  for (const namespace of namespaces) {
    const found = (await objectsOf(client, namespace)).map(withoutTimes);
    objects.push(...normalOutcome({ objects: found, events: [], refused: [] }).objects);
  }
  return { objects, errors: errorsOf(await readFile(cluster.log, 'utf8')) };
}

/**
 * An object without what depends on the time of a sync: the last poll of an autoscaler, the number of a rollout, and the hash in the
 * name of a ReplicaSet, which counts the collisions with names that exist.
 */
function withoutTimes(object: Persisted): Persisted {
  if (object.kind === 'Deployment') {
    const { annotations: _revision, ...metadata } = object.metadata;
    const text = JSON.stringify({ ...object, metadata });
    return JSON.parse(text.replaceAll(/(ReplicaSet \\"web)-[a-z0-9]+/g, '$1')) as Persisted;
  }
  if (object.kind !== 'HorizontalPodAutoscaler') return object;
  const { status, ...rest } = object as Persisted & { status?: Record<string, unknown> };
  const { conditions } = status ?? {};
  return { ...rest, status: { conditions } } as Persisted;
}

async function prepare(client: Client, namespace: string): Promise<void> {
  await client.create(builtin.Namespace, { metadata: { name: namespace } });
  const metadata = { namespace, name: 'web' };
  await client.create(builtin.Service, {
    metadata,
    spec: { clusterIP: 'None', selector: { app: 'web' }, ports: [{ port: 80 }] },
  });
  const hard = { pods: '8', 'requests.cpu': '200m', 'count/jobs.batch': '3' };
  await client.create(builtin.ResourceQuota, { metadata, spec: { hard } });
  if (!namespace.startsWith('deployment')) return;
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  await client.create(builtin.HorizontalPodAutoscaler, {
    metadata,
    spec: { scaleTargetRef, minReplicas: 1, maxReplicas: 6 },
  });
}

/** Applies the changes of one workload one after the other, each at its time or later. */
async function applyAll(client: Client, changes: readonly Change[], start: number): Promise<void> {
  for (const change of changes) {
    await sleep(Math.max(0, change.at - (performance.now() - start)));
    await apply(client, change);
  }
}

/** Creates, changes or deletes a workload. */
async function apply(client: Client, { namespace, kind, change, spec }: Change): Promise<void> {
  const resource = workloads[kind];
  const metadata = { namespace, name: 'web' };
  try {
    if (change === 'delete')
      await client.delete(resource, metadata, { propagationPolicy: 'Background' });
    else await client.patch(resource, metadata, { type: 'merge', body: { spec: change } });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    if (change !== 'delete') await client.create(resource, { metadata, spec });
  }
}

async function objectsOf(client: Client, namespace?: string): Promise<Persisted[]> {
  const lists = compared.map((resource) =>
    client.list(resource, namespace === undefined ? {} : { namespace }),
  );
  return (await Promise.all(lists)).flatMap(({ items }) => items);
}

/** Waits until every workload has what it wants, and nothing changes for a while. */
async function quiet(client: Client): Promise<void> {
  let last = '';
  let since = performance.now();
  const end = since + MAX_QUIET_MS;
  while (performance.now() < end && performance.now() - since < QUIET_MS) {
    const objects = await objectsOf(client);
    const now = objects
      // An autoscaler writes the time of its last attempt again and again.
      .filter(({ kind }) => kind !== 'HorizontalPodAutoscaler')
      .map(({ metadata }) => `${metadata.uid}@${metadata.resourceVersion}`)
      .join();
    if (now !== last || objects.some((object) => isUnderWay(object))) since = performance.now();
    last = now;
    await sleep(1_000);
  }
}

/** True for a workload that its controller has not completed. */
function isUnderWay(object: Persisted): boolean {
  const {
    kind,
    metadata,
    spec = {},
    status = {},
  } = object as Persisted & {
    readonly spec?: Readonly<Record<string, number>>;
    readonly status?: Readonly<Record<string, number>>;
  };
  switch (kind) {
    case 'Job':
      return !('completionTime' in status);
    case 'Deployment':
    case 'StatefulSet':
      return (
        status['observedGeneration'] !== metadata.generation ||
        (status['availableReplicas'] ?? 0) !== spec['replicas']
      );
    case 'DaemonSet':
      return status['numberAvailable'] !== status['desiredNumberScheduled'];
    default:
      return metadata.deletionTimestamp !== undefined;
  }
}
