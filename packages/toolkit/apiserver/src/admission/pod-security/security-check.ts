import { objectAt, objectsAt, textAt } from '../../json/json-members.ts';
import type { JsonObject } from '@keelson/structural-schema';

/** The levels with checks; `privileged` has none. */
export type CheckedLevel = 'baseline' | 'restricted';

/** A pod or a pod template. */
export interface CheckedPod {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: JsonObject;
}

/** Why a check rejects a pod: `reason` for a summary of several pods, `detail` for a single pod. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

export type PodCheck = (pod: CheckedPod) => Violation | undefined;

/** One control of the Pod Security Standards with its versions. */
export interface SecurityCheck {
  readonly id: string;
  readonly level: CheckedLevel;
  /** The checks in ascending order of the minor version that introduced them. */
  readonly versions: readonly { readonly since: number; readonly check: PodCheck }[];
  /** The id of the baseline check that this restricted check includes. */
  readonly overrides?: string;
}

/** The containers of all types, in the order in which kube-apiserver reports violations. */
export function containersOf(spec: JsonObject): JsonObject[] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((member) =>
    objectsAt(spec, member),
  );
}

export function securityContext(holder: JsonObject): JsonObject {
  return objectAt(holder, 'securityContext');
}

/** The names of the containers for which `isBad` is true. */
export function namesOf(spec: JsonObject, isBad: (container: JsonObject) => boolean): string[] {
  return containersOf(spec)
    .filter(isBad)
    .map((container) => textAt(container, 'name'));
}

/** Formats names: `container "a"` or `containers "a", "b"`. */
export function titled(names: readonly string[]): string {
  return `${plural(names, 'container')} ${quoted(names)}`;
}

export function plural(items: { readonly length: number }, singular: string): string {
  return items.length === 1 ? singular : `${singular}s`;
}

export function quoted(items: readonly string[]): string {
  return items.map((item) => `"${item}"`).join(', ');
}

/** Removes duplicates and keeps the order. */
export function distinct(items: Iterable<string>): string[] {
  return [...new Set(items)].toSorted();
}

/** Lists the pod and the containers that set a field, as the subject of a sentence: `pod and container "a"`. */
export function settersOf(
  { spec }: CheckedPod,
  isBad: (context: JsonObject) => boolean,
): string | undefined {
  const names = namesOf(spec, (container) => isBad(securityContext(container)));
  const setters = [
    ...(isBad(securityContext(spec)) ? ['pod'] : []),
    ...(names.length > 0 ? [titled(names)] : []),
  ];
  return setters.length === 0 ? undefined : setters.join(' and ');
}

/** Every security context of a pod, the pod-level one first. */
export function contextsOf({ spec }: CheckedPod): JsonObject[] {
  return [securityContext(spec), ...containersOf(spec).map(securityContext)];
}
