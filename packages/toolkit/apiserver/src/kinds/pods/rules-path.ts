import type { StatusCause } from '@keelson/apimachinery';
import type { FieldPath } from '@keelson/structural-schema';
import { invalid } from '@keelson/structural-schema';

/** Rejects a path with `..` as one of its parts. */
export function validateBackSteps(text: string, path: FieldPath): StatusCause[] {
  return text.split('/').includes('..') ? [invalid(path, text, "must not contain '..'")] : [];
}

/** Rejects a path that leaves its folder. */
export function validateLocalPath(text: string, path: FieldPath): StatusCause[] {
  return [
    ...(text.startsWith('/') ? [invalid(path, text, 'must be a relative path')] : []),
    ...validateBackSteps(text, path),
  ];
}

/** Rejects a path that leaves its folder, or whose name the kubelet uses. */
export function validateFilePath(text: string, path: FieldPath): StatusCause[] {
  const isReserved = text.startsWith('..') && !text.startsWith('../');
  return [
    ...validateLocalPath(text, path),
    ...(isReserved ? [invalid(path, text, "must not start with '..'")] : []),
  ];
}
