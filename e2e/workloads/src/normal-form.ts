import type { Persisted } from '@keelson/apimachinery';
import type { CoreEvent, Outcome } from './stage.ts';

/** The controllers whose Events are compared; the scheduler and the kubelets are the same on both sides. */
const CONTROLLERS = new Set([
  'deployment-controller',
  'replicaset-controller',
  'statefulset-controller',
  'daemonset-controller',
  'daemon-controller',
  'job-controller',
  'cronjob-controller',
  'persistentvolume-controller',
]);

const DROPPED = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'managedFields',
  'deletionTimestamp',
  'startTime',
  'completionTime',
  'lastSuccessfulTime',
  'lastPhaseTransitionTime',
  'lastTransitionTime',
  'lastUpdateTime',
  'lastProbeTime',
  'startedAt',
  'finishedAt',
  'podIP',
  'podIPs',
  'addresses',
  'nodeName',
  'endpoints.kubernetes.io/last-change-trigger-time',
]);

/** The labels with the hash of a template. */
const HASH_LABELS = [
  'pod-template-hash',
  'controller.kubernetes.io/hash',
  'controller-revision-hash',
];

const UID = /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g;

/** The texts of the objects and the Events of a session, without what differs between two runs. */
export interface NormalOutcome {
  readonly objects: readonly string[];
  readonly events: readonly string[];
}

/** Returns the normal form of an outcome. */
export function normalOutcome({ objects, events, refused }: Outcome): NormalOutcome {
  const names = placeholders(objects, events);
  const rename = (text: string): string =>
    names.reduce((renamed, [name, placeholder]) => renamed.replaceAll(name, placeholder), text);
  // Renamed first, because lists are sorted by their texts.
  const renamed = (object: Persisted): unknown => JSON.parse(rename(JSON.stringify(object)));
  const texts = objects.map((object) => JSON.stringify(plain(renamed(withoutGeneration(object)))));
  const refusals = refused.map((at) => JSON.stringify({ refused: at }));
  return {
    objects: [...texts, ...refusals].toSorted(),
    events: events
      .filter(isCompared)
      .map((event) => rename(textOf(event)))
      .toSorted(),
  };
}

/** The generation of an EndpointSlice counts its writes, which depend on how many changes one write takes in. */
function withoutGeneration(object: Persisted): Persisted {
  if (object.kind !== 'EndpointSlice') return object;
  const { generation: _generation, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function isCompared({ source }: CoreEvent): boolean {
  return CONTROLLERS.has(source?.component ?? '');
}

function textOf({ involvedObject, type, reason, message, count, source }: CoreEvent): string {
  const { kind, name } = involvedObject;
  const by = source?.component;
  // An Event about a waiting claim is repeated in each period.
  const counted = by === 'persistentvolume-controller' ? {} : { count };
  return JSON.stringify({ about: `${kind} ${name}`, type, reason, message, ...counted, by });
}

/** The placeholders of generated names, longer names first. */
function placeholders(
  objects: readonly Persisted[],
  events: readonly CoreEvent[],
): [string, string][] {
  const names = new Map<string, string>();
  for (const { kind, metadata, ...rest } of objects) {
    const { annotations = {}, labels = {}, name } = metadata;
    const revision =
      annotations['deployment.kubernetes.io/revision'] ??
      String((rest as { revision?: number }).revision);
    const hash = HASH_LABELS.map((label) => labels[label]).find((value) => value !== undefined);
    if (hash !== undefined && kind !== 'Pod') names.set(hash, `<hash ${revision}>`);
    const { generateName = name } = metadata;
    if (name.length === generateName.length + 5) names.set(name, `${generateName}<random>`);
  }
  for (const { message = '', involvedObject } of events)
    for (const text of [message, involvedObject.name ?? '']) {
      // The hash of a ReplicaSet that no longer exists. A number alone is the time of a Job.
      const hash = /\bweb-(?=\d*[b-z])([b-z0-9]{8,10})\b/.exec(text)?.[1];
      if (hash !== undefined && !names.has(hash)) names.set(hash, '<gone>');
      const found = /\bweb(?:-[a-z0-9]{5,10})?(?:-\d+)?-[a-z0-9]{5}\b/.exec(text)?.[0];
      if (found !== undefined && !names.has(found))
        names.set(found, `${found.slice(0, -5)}<random>`);
    }
  return [...names].toSorted(([one], [other]) => other.length - one.length);
}

/** A value without what differs between two runs, its members in order. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(plain);
    return items.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  }
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'string'
      ? value.replaceAll(/\bnode-\d+\b/g, '<node>').replaceAll(UID, '<uid>')
      : value;
  }
  const members = Object.entries(value)
    .filter(([name]) => !DROPPED.has(name))
    .map(([name, member]) => [name, plain(member)] as const)
    .filter(([, member]) => !isEmpty(member))
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members);
}

/** kube-apiserver stores an empty list as `null`. */
function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}
