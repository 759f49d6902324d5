import { isDeleting } from '@keelson/apimachinery';
import type { Claim, Volume } from '../objects/kinds.ts';
import { nanosOf } from '../objects/quantity.ts';
import { selects } from '../objects/selects.ts';

/** True if a volume names the claim, with its uid or without one. */
export function isReservedFor({ spec }: Volume, { metadata }: Claim): boolean {
  const { namespace, name, uid = '' } = spec?.claimRef ?? {};
  const hasUid = uid === '' || uid === metadata.uid;
  return namespace === metadata.namespace && name === metadata.name && hasUid;
}

/**
 * Returns the volume for a claim that names none. Volumes with the fewest access modes come first; of those with the same
 * modes one that is reserved for the claim, else the smallest. A claim that waits for its first Pod gets a reserved one only.
 */
export function bestMatch(
  claim: Claim,
  volumes: readonly Volume[],
  { isAwaited }: { readonly isAwaited: boolean },
): Volume | undefined {
  const fitting = volumes.filter((volume) => isSuitable(claim, volume));
  for (const modes of [...new Set(fitting.map(modeCount))].toSorted((a, b) => a - b)) {
    const group = fitting.filter((volume) => modeCount(volume) === modes);
    const reserved = group.find((volume) => isReservedFor(volume, claim));
    if (reserved !== undefined) return reserved;
    if (isAwaited) continue;
    const [smallest] = group.filter((volume) => isFree(claim, volume)).toSorted(bySize);
    if (smallest !== undefined) return smallest;
  }
  return undefined;
}

function modeCount({ spec }: Volume): number {
  return spec?.accessModes?.length ?? 0;
}

function sizeOf({ spec }: Volume): bigint {
  return nanosOf(spec?.capacity?.['storage']);
}

function bySize(one: Volume, other: Volume): number {
  const [size, otherSize] = [sizeOf(one), sizeOf(other)];
  return size < otherSize ? -1 : Number(size > otherSize);
}

/** True for a volume that the claim could have if it is free or reserved for it. */
function isSuitable(claim: Claim, volume: Volume): boolean {
  return (
    (volume.spec?.claimRef === undefined || isReservedFor(volume, claim)) &&
    !isDeleting(volume) &&
    isLargeEnough(claim, volume) &&
    hasMode(claim, volume) &&
    hasAccessModes(claim, volume)
  );
}

function isFree(claim: Claim, { spec, status, metadata }: Volume): boolean {
  const { selector, storageClassName = '' } = claim.spec ?? {};
  return (
    status?.phase === 'Available' &&
    (selector === undefined || selects(selector, metadata.labels)) &&
    (spec?.storageClassName ?? '') === storageClassName
  );
}

/** Returns why a claim cannot have the volume that it names, in the words of kube-controller-manager. */
export function mismatchOf(claim: Claim, volume: Volume): string | undefined {
  const { spec, metadata } = volume;
  if (isDeleting(volume)) return `the volume is marked for deletion "${metadata.name}"`;
  if (!isLargeEnough(claim, volume)) return 'requested PV is too small';
  if ((spec?.storageClassName ?? '') !== (claim.spec?.storageClassName ?? ''))
    return 'storageClassName does not match';
  if (!hasMode(claim, volume)) return 'incompatible volumeMode';
  return hasAccessModes(claim, volume) ? undefined : 'incompatible accessMode';
}

function isLargeEnough({ spec }: Claim, volume: Volume): boolean {
  return sizeOf(volume) >= nanosOf(spec?.resources?.requests?.['storage']);
}

function hasMode({ spec: claim }: Claim, { spec }: Volume): boolean {
  return (spec?.volumeMode ?? 'Filesystem') === (claim?.volumeMode ?? 'Filesystem');
}

function hasAccessModes({ spec: claim }: Claim, { spec }: Volume): boolean {
  const offered = spec?.accessModes ?? [];
  return (claim?.accessModes ?? []).every((mode) => offered.includes(mode));
}
