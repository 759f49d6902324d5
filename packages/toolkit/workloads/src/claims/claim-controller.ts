import { builtin, isDeleting, isNotFound } from '@keelson/apimachinery';
import type { Request } from '@keelson/manager';
import { CONCURRENCY, retried, type Control, type Run } from '../control/control.ts';
import type { RecordEvent } from '../control/event-log.ts';
import type { Claim, Pod, Volume } from '../objects/kinds.ts';
import { quantityOf } from '../objects/quantity.ts';

const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';

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
    concurrency: CONCURRENCY,
    reconcile: retried((request, run) => reconcile(request, run, record)),
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

async function reconcile(name: Request, run: Run, record: RecordEvent): Promise<void> {
  const { cache } = run;
  const claim = cache.get(builtin.PersistentVolumeClaim, name);
  if (claim === undefined || isDeleting(claim) || claim.status?.phase === 'Bound') return;
  const volume = volumeFor(claim, cache.list(builtin.PersistentVolume));
  if (volume !== undefined) return bind(claim, volume, run);
  if (claim.spec?.volumeName !== undefined) return;
  const className = claim.spec?.storageClassName ?? '';
  const storageClass =
    className === '' ? undefined : cache.get(builtin.StorageClass, { name: className });
  if (storageClass === undefined) {
    const message = 'no persistent volumes available for this claim and no storage class is set';
    const missing = `storageclass.storage.k8s.io "${className}" not found`;
    if (className === '') record(claim, { reason: 'FailedBinding', message });
    else record(claim, { type: 'Warning', reason: 'ProvisioningFailed', message: missing });
    return;
  }
  const isAwaited = storageClass.volumeBindingMode === 'WaitForFirstConsumer';
  if (
    isAwaited &&
    !isUsed(claim, cache.list(builtin.Pod, { namespace: claim.metadata.namespace }))
  ) {
    const message = 'waiting for first consumer to be created before binding';
    record(claim, { reason: 'WaitForFirstConsumer', message });
    return;
  }
  const { provisioner } = storageClass;
  const made = await run.client.create(builtin.PersistentVolume, volumeOf(claim, storageClass));
  const message = `Successfully provisioned volume ${made.metadata.name}`;
  record(claim, { reason: 'ProvisioningSucceeded', message });
  await bind(claim, made, run, provisioner);
}

function isUsed({ metadata }: Claim, pods: readonly Pod[]): boolean {
  return pods.some((pod) => claimsOf(pod).some(({ name }) => name === metadata.name));
}

/** The volume that a claim names or that is reserved for it, or the smallest free one that fits. */
function volumeFor(claim: Claim, volumes: readonly Volume[]): Volume | undefined {
  const { spec, metadata } = claim;
  if (spec?.volumeName !== undefined)
    return volumes.find((each) => each.metadata.name === spec.volumeName);
  const reserved = volumes.find(({ spec: own }) => {
    const reference = own?.claimRef;
    return (
      reference?.name === metadata.name &&
      reference.namespace === metadata.namespace &&
      (reference.uid ?? metadata.uid) === metadata.uid
    );
  });
  if (reserved !== undefined) return reserved;
  const [smallest] = volumes
    .filter((volume) => fits(claim, volume))
    .toSorted(
      (one, other) =>
        quantityOf(one.spec?.capacity?.['storage']) - quantityOf(other.spec?.capacity?.['storage']),
    );
  return smallest;
}

function fits({ spec }: Claim, { spec: volume, metadata }: Volume): boolean {
  if (volume === undefined || volume.claimRef !== undefined) return false;
  if (metadata.deletionTimestamp !== undefined) return false;
  const { storageClassName = '', volumeMode = 'Filesystem', accessModes = [], capacity } = volume;
  return (
    storageClassName === (spec?.storageClassName ?? '') &&
    volumeMode === (spec?.volumeMode ?? 'Filesystem') &&
    (spec?.accessModes ?? []).every((mode) => accessModes.includes(mode)) &&
    quantityOf(capacity?.['storage']) >= quantityOf(spec?.resources?.requests?.['storage'])
  );
}

function volumeOf(
  claim: Claim,
  {
    metadata,
    provisioner,
    reclaimPolicy = 'Delete',
  }: { metadata: { name: string }; provisioner: string; reclaimPolicy?: string },
) {
  const { spec } = claim;
  const name = `pvc-${claim.metadata.uid}`;
  return {
    metadata: { name, annotations: { [PROVISIONED_BY]: provisioner } },
    spec: {
      accessModes: spec?.accessModes ?? ['ReadWriteOnce'],
      capacity: { storage: spec?.resources?.requests?.['storage'] ?? '1Gi' },
      claimRef: referenceTo(claim),
      hostPath: { path: `/var/lib/volumes/${name}` },
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: metadata.name,
      volumeMode: spec?.volumeMode ?? 'Filesystem',
    },
  };
}

function referenceTo({ metadata }: Claim) {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid, resourceVersion };
}

async function bind(
  claim: Claim,
  volume: Volume,
  { client }: Run,
  provisioner?: string,
): Promise<void> {
  if (volume.spec?.claimRef?.uid !== claim.metadata.uid) {
    const body = { spec: { claimRef: referenceTo(claim) } };
    await client.patch(builtin.PersistentVolume, volume.metadata, { type: 'merge', body });
  }
  const bound = { body: { status: { phase: 'Bound' } }, type: 'merge' } as const;
  await client.status(builtin.PersistentVolume).patch(volume.metadata, bound);
  const annotations = {
    [BIND_COMPLETED]: 'yes',
    [BOUND_BY_CONTROLLER]: 'yes',
    ...(provisioner && { 'volume.kubernetes.io/storage-provisioner': provisioner }),
  };
  const written = await client.patch(builtin.PersistentVolumeClaim, claim.metadata, {
    type: 'merge',
    body: { metadata: { annotations }, spec: { volumeName: volume.metadata.name } },
  });
  const status = {
    phase: 'Bound',
    accessModes: volume.spec?.accessModes ?? [],
    capacity: { storage: volume.spec?.capacity?.['storage'] ?? '0' },
  };
  await client.status(builtin.PersistentVolumeClaim).update({ ...written, status });
}

/** Deletes or releases the volumes of claims that are gone. */
function addVolumeController({ manager }: Pick<Control, 'manager'>): void {
  manager.addController({
    name: 'volume',
    for: builtin.PersistentVolume,
    watches: [
      {
        resource: builtin.PersistentVolumeClaim,
        map: (claim) => {
          const name = claim.value().spec?.volumeName;
          return name === undefined ? [] : { name };
        },
      },
    ],
    reconcile: retried(async (name, { cache, client }) => {
      const volume = cache.get(builtin.PersistentVolume, name);
      if (volume === undefined || isDeleting(volume)) return;
      const { claimRef, persistentVolumeReclaimPolicy } = volume.spec ?? {};
      const status = client.status(builtin.PersistentVolume);
      if (claimRef?.uid === undefined) {
        if (volume.status?.phase !== 'Available')
          await status.patch(name, { type: 'merge', body: { status: { phase: 'Available' } } });
        return;
      }
      const { namespace = '', name: claimName = '' } = claimRef;
      const claim = await client
        .get(builtin.PersistentVolumeClaim, { namespace, name: claimName })
        .catch((error: unknown) => {
          if (isNotFound(error)) return undefined;
          throw error;
        });
      if (claim?.metadata.uid === claimRef.uid) return;
      if (persistentVolumeReclaimPolicy === 'Delete')
        await client.delete(builtin.PersistentVolume, volume.metadata);
      else if (volume.status?.phase !== 'Released')
        await status.patch(name, { type: 'merge', body: { status: { phase: 'Released' } } });
    }),
  });
}
