import type { StatusCause } from '@keelson/apimachinery';
import { type FieldPath, forbidden, notSupported } from '@keelson/structural-schema';

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

/** Validates the access modes of a volume or of a claim. */
export function validateAccessModes(modes: readonly string[], path: FieldPath): StatusCause[] {
  const known = new Set(modes.filter((mode) => accessModes.includes(mode)));
  const isMixed = known.has('ReadWriteOncePod') && known.size > 1;
  return [
    ...modes
      .filter((mode) => !accessModes.includes(mode))
      .map((mode) => notSupported(path, mode, accessModes)),
    ...(isMixed ? [forbidden(path, 'may not use ReadWriteOncePod with other access modes')] : []),
  ];
}

/** Validates the mode of a volume or of a claim, if there is one. */
export function validateVolumeMode(mode: unknown, path: FieldPath): StatusCause[] {
  if (typeof mode !== 'string' || volumeModes.includes(mode)) return [];
  return [notSupported(path, mode, volumeModes)];
}

const volumeModes = ['Block', 'Filesystem'];
