import { builtin, isDeleting, isNotFound } from '@keelson/apimachinery';
import type { Request } from '@keelson/manager';
import { ignoreMissing, retried, type Control, type Run } from '../control/control.ts';
import type { Claim, Volume } from '../objects/kinds.ts';
import { PROVISIONED_BY, setVolumePhase, unbind } from './binding.ts';

/** Sets the phases of volumes, and deletes or releases those of claims that no longer exist. */
export function addVolumeController({ manager }: Pick<Control, 'manager'>): void {
  manager.addController({
    name: 'volume',
    for: builtin.PersistentVolume,
    watches: [
      {
        resource: builtin.PersistentVolumeClaim,
        map: (claim, { cache }) => volumesOf(claim.value(), cache.list(builtin.PersistentVolume)),
      },
    ],
    reconcile: retried(async (name, run) => {
      const volume = run.cache.get(builtin.PersistentVolume, name);
      // A deleted volume stays until it is released.
      if (volume !== undefined) await sync(volume, run);
    }),
  });
}

/** The volumes that a claim names and those that name it. */
function volumesOf({ metadata, spec }: Claim, volumes: readonly Volume[]): Request[] {
  return volumes
    .filter(({ metadata: { name }, spec: volume }) => {
      const { claimRef } = volume ?? {};
      const namesClaim =
        claimRef?.name === metadata.name && claimRef.namespace === metadata.namespace;
      return name === spec?.volumeName || namesClaim;
    })
    .map(({ metadata: { name } }) => ({ name }));
}

async function sync(volume: Volume, run: Run): Promise<void> {
  const { claimRef, persistentVolumeReclaimPolicy } = volume.spec ?? {};
  const { namespace = '', name = '', uid = '' } = claimRef ?? {};
  if (uid === '') return setVolumePhase(volume, 'Available', run);
  const isDeletable = persistentVolumeReclaimPolicy === 'Delete';
  const claim = await claimOf({ namespace, name }, run);
  if (claim?.metadata.uid !== uid) return release(volume, isDeletable, run);
  const { volumeName = '' } = claim.spec ?? {};
  // The controller of claims completes the binding.
  if (volumeName === '') return;
  if (volumeName === volume.metadata.name) return setVolumePhase(volume, 'Bound', run);
  const isProvisioned = volume.metadata.annotations?.[PROVISIONED_BY] !== undefined;
  if (isProvisioned && isDeletable) return release(volume, isDeletable, run);
  await unbind(volume, run);
}

/** Requests the claim, because the cache may not have it yet. */
async function claimOf(
  name: { readonly namespace: string; readonly name: string },
  { client }: Run,
): Promise<Claim | undefined> {
  return client.get(builtin.PersistentVolumeClaim, name).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}

async function release(volume: Volume, isDeletable: boolean, run: Run): Promise<void> {
  if (volume.status?.phase !== 'Failed') await setVolumePhase(volume, 'Released', run);
  if (isDeletable && !isDeleting(volume))
    await ignoreMissing(
      run.client.delete(builtin.PersistentVolume, { name: volume.metadata.name }),
    );
}
