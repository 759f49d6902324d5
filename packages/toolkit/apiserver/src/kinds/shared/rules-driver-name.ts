import type { StatusCause } from '@keelson/apimachinery';
import { checkSubdomain, goLower } from '@keelson/cel/internal';
import { type FieldPath, invalid, required, tooLong } from '@keelson/structural-schema';

const MAX_DRIVER_BYTES = 63;

/** Validates the name of a driver of volumes or devices: a short domain in letters of any case. */
export function validateDriverName(name: string, path: FieldPath): StatusCause[] {
  if (name === '') return [required(path)];
  return [
    ...(Buffer.byteLength(name) > MAX_DRIVER_BYTES ? [tooLong(path, MAX_DRIVER_BYTES)] : []),
    ...checkSubdomain(goLower(name)).map((detail) => invalid(path, name, detail)),
  ];
}
