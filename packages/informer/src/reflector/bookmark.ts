import type { Frame, KubernetesObject } from '@keelson/apimachinery';
import { informerError } from '../errors.ts';

/** What a bookmark says. */
export interface Bookmark {
  readonly resourceVersion: string | undefined;
  /** The initial state of a WatchList stream is complete (KEP-3157). */
  readonly endsInitialEvents: boolean;
}

export function readBookmark(frame: Frame): Bookmark {
  const { metadata } = objectOf(frame) as KubernetesObject;
  return {
    // An empty one is none: a watch from there would begin anew.
    resourceVersion: metadata?.resourceVersion || undefined,
    endsInitialEvents: metadata?.annotations?.['k8s.io/initial-events-end'] === 'true',
  };
}

/** The parsed object of a frame that is no object of the store: a bookmark or a Status. */
export function objectOf({ format, buffer, from, to, object }: Frame): unknown {
  try {
    return (format === undefined ? object : format.decode(buffer, from, to)) ?? {};
  } catch (error) {
    throw informerError('OBJECT_MALFORMED', {}, error);
  }
}
