import { builtin, isDeleting, type ObjectOf } from '@keelson/apimachinery';
import type { Request } from '@keelson/manager';
import { retried, type Control, type Run } from '../control/control.ts';
import type { EventText, RecordEvent } from '../control/event-log.ts';
import type { Claim, Pod } from '../objects/kinds.ts';
import { bind, isBindCompleted, PROVISIONED_BY, referenceTo } from './binding.ts';
import { bestMatch, isReservedFor, mismatchOf } from './volume-match.ts';
import { addVolumeController } from './volume-controller.ts';

/**
 * Binds PersistentVolumeClaims: to the volume that they name, to a free volume that is large enough, or to a new one of
 * their StorageClass. A class with the mode `WaitForFirstConsumer` waits for a Pod.
 */
export function addClaimController({ manager, events }: Control): void {
  const record = events.recorder({ component: 'persistentvolume-controller' });
  manager.addController({
    name: 'claim',
    for: builtin.PersistentVolumeClaim,
    reads: [builtin.StorageClass],
    watches: [
      {
        resource: builtin.PersistentVolume,
        map: ({ metadata }, { cache }) =>
          claimsFor(metadata.name, cache.list(builtin.PersistentVolumeClaim)),
      },
      { resource: builtin.Pod, map: (pod) => claimsOf(pod.value()) },
    ],
    // As in kube-controller-manager, so that two claims never compete for one volume.
    concurrency: 1,
    reconcile: retried(async (request, run) => {
      const claim = run.cache.get(builtin.PersistentVolumeClaim, request);
      if (claim === undefined || isDeleting(claim)) return;
      await (isBindCompleted(claim) ? syncBound : syncUnbound)(claim, run, record);
    }),
  });
  addVolumeController({ manager });
}

/** The claims that may concern a volume: those that name it, and those that are not bound. */
function claimsFor(volume: string, claims: readonly Claim[]): Request[] {
  return claims
    .filter(({ spec }) => spec?.volumeName === volume || spec?.volumeName === undefined)
    .map(({ metadata }) => metadata);
}

/** The claims that a Pod uses. */
export function claimsOf({ metadata, spec }: Pod): { namespace: string; name: string }[] {
  const { namespace } = metadata;
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (ephemeral !== undefined) return { namespace, name: `${metadata.name}-${name}` };
    return persistentVolumeClaim === undefined
      ? []
      : { namespace, name: persistentVolumeClaim.claimName };
  });
}

async function syncUnbound(claim: Claim, run: Run, record: RecordEvent): Promise<void> {
  const { volumeName } = claim.spec ?? {};
  if (volumeName !== undefined && volumeName !== '')
    return bindRequested(claim, volumeName, run, record);
  const { cache } = run;
  const className = claim.spec?.storageClassName ?? '';
  const storageClass =
    className === '' ? undefined : cache.get(builtin.StorageClass, { name: className });
  const isAwaited =
    storageClass?.volumeBindingMode === 'WaitForFirstConsumer' &&
    !isUsed(claim, cache.list(builtin.Pod, { namespace: claim.metadata.namespace }));
  const volume = bestMatch(claim, cache.list(builtin.PersistentVolume), { isAwaited });
  if (volume !== undefined) return bind(claim, volume, run);
  if (isAwaited) return record(claim, awaited);
  if (storageClass !== undefined) return provision(claim, storageClass, run, record);
  record(claim, className === '' ? withoutClass : missingClass(className));
}

const awaited: EventText = {
  reason: 'WaitForFirstConsumer',
  message: 'waiting for first consumer to be created before binding',
};

const withoutClass: EventText = {
  reason: 'FailedBinding',
  message: 'no persistent volumes available for this claim and no storage class is set',
};

function missingClass(name: string): EventText {
  const message = `storageclass.storage.k8s.io "${name}" not found`;
  return { type: 'Warning', reason: 'ProvisioningFailed', message };
}

/** Binds a claim to the volume that it names. Waits for a volume that is missing. */
async function bindRequested(
  claim: Claim,
  name: string,
  run: Run,
  record: RecordEvent,
): Promise<void> {
  const volume = run.cache.get(builtin.PersistentVolume, { name });
  if (volume === undefined) return;
  if (volume.spec?.claimRef === undefined) {
    const mismatch = mismatchOf(claim, volume);
    if (mismatch === undefined) return bind(claim, volume, run);
    const message = `Cannot bind to requested volume "${name}": ${mismatch}`;
    return record(claim, { type: 'Warning', reason: 'VolumeMismatch', message });
  }
  if (isReservedFor(volume, claim)) return bind(claim, volume, run);
  const message = `volume "${name}" already bound to a different claim.`;
  record(claim, { type: 'Warning', reason: 'FailedBinding', message });
}

/** Completes the binding of a claim, or declares it lost without its volume. */
async function syncBound(claim: Claim, run: Run, record: RecordEvent): Promise<void> {
  const { volumeName = '' } = claim.spec ?? {};
  const volume =
    volumeName === '' ? undefined : run.cache.get(builtin.PersistentVolume, { name: volumeName });
  if (volume === undefined) return lose(claim, run, record, lostVolume);
  const { claimRef } = volume.spec ?? {};
  if (claimRef === undefined || claimRef.uid === claim.metadata.uid)
    return bind(claim, volume, run);
  await lose(claim, run, record, misbound);
}

const lostVolume: EventText = {
  type: 'Warning',
  reason: 'ClaimLost',
  message: 'Bound claim has lost its PersistentVolume. Data on the volume is lost!',
};

const misbound: EventText = {
  type: 'Warning',
  reason: 'ClaimMisbound',
  message: 'Two claims are bound to the same volume, this one is bound incorrectly',
};

async function lose(
  claim: Claim,
  { client }: Run,
  record: RecordEvent,
  event: EventText,
): Promise<void> {
  if (claim.status?.phase === 'Lost') return;
  const status = client.status(builtin.PersistentVolumeClaim);
  await status.update({ ...claim, status: { phase: 'Lost' } });
  record(claim, event);
}

function isUsed({ metadata }: Claim, pods: readonly Pod[]): boolean {
  return pods.some((pod) => claimsOf(pod).some(({ name }) => name === metadata.name));
}

/** The fields of a StorageClass that a new volume has. */
interface VolumeClass {
  readonly metadata: { readonly name: string };
  readonly provisioner: string;
  readonly reclaimPolicy?: string;
}

/** Creates a volume of a class and binds the claim to it. */
async function provision(
  claim: Claim,
  storageClass: VolumeClass,
  run: Run,
  record: RecordEvent,
): Promise<void> {
  const made = await run.client.create(builtin.PersistentVolume, volumeOf(claim, storageClass));
  const message = `Successfully provisioned volume ${made.metadata.name}`;
  record(claim, { reason: 'ProvisioningSucceeded', message });
  await bind(claim, made, run, storageClass.provisioner);
}

function volumeOf(
  claim: Claim,
  { metadata, provisioner, reclaimPolicy = 'Delete' }: VolumeClass,
): ObjectOf<typeof builtin.PersistentVolume> {
  const { spec } = claim;
  const name = `pvc-${claim.metadata.uid}`;
  return {
    metadata: { name, annotations: { [PROVISIONED_BY]: provisioner } },
    spec: {
      accessModes: [...(spec?.accessModes ?? ['ReadWriteOnce'])],
      capacity: { storage: spec?.resources?.requests?.['storage'] ?? '1Gi' },
      claimRef: referenceTo(claim),
      hostPath: { path: `/var/lib/volumes/${name}` },
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: metadata.name,
      volumeMode: spec?.volumeMode ?? 'Filesystem',
    },
  };
}
