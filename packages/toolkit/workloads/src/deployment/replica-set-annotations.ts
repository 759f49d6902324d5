import type { Deployment, ReplicaSet } from '../objects/kinds.ts';
import { maxSurge, replicasOf } from './strategy.ts';

export const REVISION = 'deployment.kubernetes.io/revision';
const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
const DESIRED = 'deployment.kubernetes.io/desired-replicas';
const MAX = 'deployment.kubernetes.io/max-replicas';
const NOT_COPIED = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.deployment.rollback.to',
  REVISION,
  REVISION_HISTORY,
  DESIRED,
  MAX,
]);
/** The length of the revision history in characters (the controller's `maxRevHistoryLengthInChars`). */
const MAX_HISTORY_LENGTH = 2000;

type Annotations = Record<string, string>;

/** The revision of a ReplicaSet; 0 without one. */
export function revisionOf({ metadata }: ReplicaSet): number {
  return Number(metadata.annotations?.[REVISION] ?? 0);
}

/** The number of replicas of the Deployment when the ReplicaSet was scaled last. */
export function desiredOf({ metadata }: ReplicaSet): number | undefined {
  return numberOf(metadata.annotations?.[DESIRED]);
}

/** The largest number of replicas that the Deployment allowed when the ReplicaSet was scaled last. */
export function maxOf({ metadata }: ReplicaSet): number | undefined {
  return numberOf(metadata.annotations?.[MAX]);
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined || !/^\d+$/.test(text) ? undefined : Number(text);
}

/** The annotations with the size of the Deployment. */
export function sizeAnnotations(deployment: Deployment): Annotations {
  const replicas = replicasOf(deployment);
  return { [DESIRED]: String(replicas), [MAX]: String(replicas + maxSurge(deployment)) };
}

/**
 * The annotations of the newest ReplicaSet: those of the Deployment, and its revision. A revision that it had before
 * moves to the history.
 */
export function newAnnotations(
  { metadata }: Deployment,
  present: Readonly<Annotations> = {},
  revision: number,
): Annotations {
  const copied = Object.entries(metadata.annotations ?? {}).filter(
    ([name]) => !NOT_COPIED.has(name),
  );
  const annotations = { ...present, ...Object.fromEntries(copied) };
  const old = present[REVISION];
  if (Number(old ?? 0) >= revision) return annotations;
  return {
    ...annotations,
    [REVISION]: String(revision),
    ...(old !== undefined && { [REVISION_HISTORY]: historyWith(present[REVISION_HISTORY], old) }),
  };
}

function historyWith(history: string | undefined, old: string): string {
  const revisions = [...(history === undefined || history === '' ? [] : history.split(',')), old];
  while (revisions.join(',').length > MAX_HISTORY_LENGTH) revisions.shift();
  return revisions.join(',');
}
