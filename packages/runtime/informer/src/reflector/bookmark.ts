import type { KubernetesObject } from '@keelson/apimachinery';
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
  const { metadata } = objectOf(frame) as KubernetesObject;
  return {
    // An empty version is ignored, because a watch from it would start with the initial state again.
    resourceVersion: metadata?.resourceVersion || undefined,
    endsInitialEvents: metadata?.annotations?.['k8s.io/initial-events-end'] === 'true',
  };
}

/** Parses the object of a bookmark or an ERROR event. */
export function objectOf({ format, buffer, from, to, object }: Frame): unknown {
  try {
    return (format === undefined ? object : format.decode(buffer, from, to)) ?? {};
  } catch (error) {
    throw informerError('OBJECT_MALFORMED', {}, error);
  }
}
