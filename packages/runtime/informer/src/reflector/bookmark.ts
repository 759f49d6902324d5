import type { KubernetesObject, ObjectMeta } from '@keelson/apimachinery';
import type { Frame } from '@keelson/wire';
import { informerError } from '../errors.ts';

/** The contents of a bookmark. */
export interface Bookmark {
  readonly resourceVersion: string | undefined;
  /** True if the initial state of a WatchList is complete (KEP-3157). */
  readonly endsInitialEvents: boolean;
}

/** Reads the version of a bookmark, and whether it ends the initial state. */
export function readBookmark(frame: Frame): Bookmark {
  const metadata = metadataOf(frame);
  return {
    // An empty version is ignored, because a watch from it would start with the initial state again.
    resourceVersion: metadata?.resourceVersion || undefined,
    endsInitialEvents: metadata?.annotations?.['k8s.io/initial-events-end'] === 'true',
  };
}

/** Reads the metadata alone; the first parse of a body costs more than the bookmark. */
function metadataOf(frame: Frame): ObjectMeta | undefined {
  const { format, buffer, from, to } = frame;
  try {
    if (format !== undefined) return format.metadata(buffer, from, to);
  } catch {
    // An object without metadata has no version. One that does not parse is refused below.
  }
  return (objectOf(frame) as KubernetesObject).metadata;
}

/** Parses the object of a bookmark or an ERROR event. */
export function objectOf({ format, buffer, from, to, object }: Frame): unknown {
  try {
    return (format === undefined ? object : format.decode(buffer, from, to)) ?? {};
  } catch (error) {
    throw informerError('OBJECT_MALFORMED', {}, error);
  }
}
