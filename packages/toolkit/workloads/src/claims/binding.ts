import { builtin } from '@keelson/apimachinery';
import type { Run } from '../control/control.ts';
import type { Claim, Volume } from '../objects/kinds.ts';
import { equalJson } from '../objects/equal-json.ts';
import { isReservedFor } from './volume-match.ts';

const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';
const STORAGE_PROVISIONER = 'volume.kubernetes.io/storage-provisioner';

/** The annotation of a volume with the provisioner that created it. */
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';

/** True for a claim that was bound once. */
export function isBindCompleted({ metadata }: Claim): boolean {
  return metadata.annotations?.[BIND_COMPLETED] !== undefined;
}

/** The reference of a volume to its claim. */
type ClaimReference = NonNullable<NonNullable<Volume['spec']>['claimRef']>;

/** Returns the reference with which a volume names its claim. */
export function referenceTo({ metadata }: Claim): ClaimReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid, resourceVersion };
}

/** Binds a claim and a volume to each other. Writes only what differs, so that a run after a crash completes the binding. */
export async function bind(
  claim: Claim,
  volume: Volume,
  run: Run,
  provisioner?: string,
): Promise<void> {
  const bound = await bindVolume(volume, claim, run);
  await setVolumePhase(bound, 'Bound', run);
  const written = await bindClaim(claim, volume, run, provisioner);
  await writeClaimStatus(written, volume, run);
}

async function bindVolume(volume: Volume, claim: Claim, { client }: Run): Promise<Volume> {
  const { metadata, spec } = volume;
  if (isReservedFor(volume, claim) && spec?.claimRef?.uid === claim.metadata.uid) return volume;
  const byController = isReservedFor(volume, claim) ? {} : { [BOUND_BY_CONTROLLER]: 'yes' };
  const annotations = { ...metadata.annotations, ...byController };
  return client.update(builtin.PersistentVolume, {
    ...volume,
    metadata: { ...metadata, annotations },
    spec: { ...spec, claimRef: referenceTo(claim) },
  });
}

/** Writes the phase of a volume if it has another one. */
export async function setVolumePhase(
  volume: Volume,
  phase: string,
  { client }: Run,
): Promise<void> {
  if (volume.status?.phase === phase) return;
  await client.status(builtin.PersistentVolume).update({ ...volume, status: { phase } });
}

async function bindClaim(
  claim: Claim,
  volume: Volume,
  { client }: Run,
  provisioner: string | undefined,
): Promise<Claim> {
  const { metadata, spec } = claim;
  const { name } = volume.metadata;
  const isNamed = spec?.volumeName === name;
  const annotations = {
    ...metadata.annotations,
    ...(!isNamed && { [BOUND_BY_CONTROLLER]: 'yes' }),
    [BIND_COMPLETED]: 'yes',
    ...(provisioner !== undefined && { [STORAGE_PROVISIONER]: provisioner }),
  };
  if (isNamed && isBindCompleted(claim)) return claim;
  return client.update(builtin.PersistentVolumeClaim, {
    ...claim,
    metadata: { ...metadata, annotations },
    spec: { ...spec, volumeName: name },
  });
}

/** The capacity stays in later writes, because it may differ from that of the volume during a resize. */
async function writeClaimStatus(claim: Claim, { spec }: Volume, { client }: Run): Promise<void> {
  const { status } = claim;
  const accessModes = spec?.accessModes ?? [];
  if (status?.phase === 'Bound' && equalJson(status.accessModes ?? [], accessModes)) return;
  const capacity = status?.phase === 'Bound' ? status.capacity : spec?.capacity;
  await client.status(builtin.PersistentVolumeClaim).update({
    ...claim,
    status: { ...status, phase: 'Bound', accessModes, ...(capacity && { capacity }) },
  });
}

/** Ends the binding of a volume: a claim that users wrote into it stays, without its uid. */
export async function unbind(volume: Volume, run: Run): Promise<void> {
  const { metadata, spec } = volume;
  const { [BOUND_BY_CONTROLLER]: byController, ...annotations } = metadata.annotations ?? {};
  const { claimRef: { uid: _uid, ...claimRef } = {}, ...others } = spec ?? {};
  const written = await run.client.update(builtin.PersistentVolume, {
    ...volume,
    metadata: { ...metadata, annotations },
    spec: { ...others, ...(byController === undefined && { claimRef }) },
  });
  await setVolumePhase(written, 'Available', run);
}
