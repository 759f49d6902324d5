import { builtin, isDeleting } from '@keelson/apimachinery';
import type { Outcome, Request } from '@keelson/manager';
import { after, CONCURRENCY, retried, type Control, type Run } from '../control/control.ts';
import type { RecordEvent } from '../control/event-log.ts';
import { equalJson } from '../objects/equal-json.ts';
import type { Deployment } from '../objects/kinds.ts';
import { isFinished } from '../pods/pod-state.ts';
import { sumOf } from '../objects/counts.ts';
import {
  countedStatus,
  deploymentCondition,
  isComplete,
  nextProgressCheck,
  rolloutStatus,
  withCondition,
  type DeploymentStatus,
} from './deployment-status.ts';
import { Rollout } from './rollout.ts';
import { isRolling, progressDeadline } from './strategy.ts';

/** Replaces the Pods of Deployments by scaling their ReplicaSets. */
export function addDeploymentController({ manager, events }: Control): void {
  const record = events.recorder({ component: 'deployment-controller' });
  manager.addController({
    name: 'deployment',
    for: builtin.Deployment,
    owns: [builtin.ReplicaSet],
    watches: [
      {
        // The strategy Recreate waits for the end of old Pods, which no ReplicaSet counts.
        resource: builtin.Pod,
        map: ({ metadata }, { cache }) => {
          const owner = metadata.ownerReferences?.find(({ kind }) => kind === 'ReplicaSet');
          if (owner === undefined) return [];
          const { namespace } = metadata;
          const set = cache.get(builtin.ReplicaSet, { namespace, name: owner.name });
          const name = set?.metadata.ownerReferences?.find(
            ({ kind }) => kind === 'Deployment',
          )?.name;
          const deployment = name && cache.get(builtin.Deployment, { namespace, name });
          return deployment && !isRolling(deployment) ? deployment.metadata : [];
        },
      },
    ],
    concurrency: CONCURRENCY,
    reconcile: retried((request, run) => reconcile(request, run, record)),
  });
}

async function reconcile(name: Request, run: Run, record: RecordEvent): Promise<Outcome | void> {
  const found = run.cache.get(builtin.Deployment, name);
  if (found === undefined) return;
  const { matchLabels = {}, matchExpressions = [] } = found.spec?.selector ?? {};
  if (Object.keys(matchLabels).length + matchExpressions.length === 0) return;
  const deployment = await withPause(found, run);
  const rollout = new Rollout(deployment, run.cache.owned(builtin.ReplicaSet, deployment), {
    run,
    record,
  });
  if (isDeleting(deployment)) return writeStatus(rollout, run, countedStatus);
  if (deployment.spec?.paused === true) return distribute(rollout, run, true);
  await rollout.syncRevision(false);
  if (rollout.isScaling) return distribute(rollout, run, false);
  if (isRolling(deployment)) await roll(rollout);
  else await recreate(rollout, run);
  return writeStatus(rollout, run, rolloutStatus);
}

/** Reports that a Deployment was paused or resumed, so that its progress is not timed meanwhile. */
async function withPause(deployment: Deployment, { client, clock }: Run): Promise<Deployment> {
  const { reason } = deploymentCondition(deployment.status, 'Progressing') ?? {};
  const isPaused = deployment.spec?.paused === true;
  const isKnown = (reason === 'DeploymentPaused') === isPaused;
  const ends = isDeleting(deployment) || progressDeadline(deployment) === undefined;
  if (ends || isKnown || reason === 'ProgressDeadlineExceeded') return deployment;
  const condition = {
    type: 'Progressing',
    status: 'Unknown',
    reason: isPaused ? 'DeploymentPaused' : 'DeploymentResumed',
    message: isPaused ? 'Deployment is paused' : 'Deployment is resumed',
  };
  const status = withCondition(deployment.status ?? {}, condition, clock.now());
  return client.status(builtin.Deployment).update({ ...deployment, status });
}

/** Scales the ReplicaSets to the size of the Deployment, without a rollout. */
async function distribute(rollout: Rollout, run: Run, isCleaned: boolean): Promise<Outcome | void> {
  await rollout.syncRevision(false);
  await rollout.distribute();
  if (isCleaned) await rollout.cleanUp();
  return writeStatus(rollout, run, countedStatus);
}

/** One step of a rolling update. */
async function roll(rollout: Rollout): Promise<void> {
  await rollout.syncRevision(true);
  if ((await rollout.scaleNewest()) || (await rollout.shrinkOld())) return;
  if (isComplete(rollout.deployment, rollout.deployment.status)) await rollout.cleanUp();
}

/** One step of an update that ends all old Pods before it creates new ones. */
async function recreate(rollout: Rollout, run: Run): Promise<void> {
  if (await rollout.emptyOld()) return;
  if (hasOldPods(rollout, run)) return;
  if (rollout.sets.newest === undefined) await rollout.syncRevision(true);
  await rollout.fillNewest();
  if (isComplete(rollout.deployment, rollout.deployment.status)) await rollout.cleanUp();
}

function hasOldPods({ sets }: Rollout, { cache }: Run): boolean {
  const { old } = sets;
  if (sumOf(old, ({ status }) => status?.replicas ?? 0) > 0) return true;
  return old.flatMap((set) => cache.owned(builtin.Pod, set)).some((pod) => !isFinished(pod));
}

async function writeStatus(
  { deployment, sets }: Rollout,
  { client, clock }: Run,
  statusOf: typeof rolloutStatus,
): Promise<Outcome | void> {
  const now = clock.now();
  const status = statusOf(deployment, sets, now);
  if (!equalJson(stored(status), stored(deployment.status ?? {})))
    await client.status(builtin.Deployment).update({ ...deployment, status });
  return after(nextProgressCheck(deployment, status, now));
}

/** A status as the API server stores it: without zero counts and empty lists. */
function stored(status: DeploymentStatus): unknown {
  const entries = Object.entries(status).filter(([name, value]) =>
    Array.isArray(value) ? value.length > 0 : value !== 0 || name === 'terminatingReplicas',
  );
  return Object.fromEntries(entries);
}
