import type { StatusCause } from '@keelson/apimachinery';
import { type FieldPath, invalid } from '@keelson/structural-schema';

/** Returns the cause for a path that does not begin with a dot. Kubernetes checks no more of it. */
export function validateSimplePath(path: string, field: FieldPath): StatusCause[] {
  if (path.startsWith('.')) return [];
  return [invalid(field, path, 'must be a simple json path starting with .')];
}
