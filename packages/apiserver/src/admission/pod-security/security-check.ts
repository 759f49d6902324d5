import type { JsonObject, JsonValue } from '../../json/json-value.ts';
import { objectAt, objectsAt, textAt } from '../../schema/default-rule.ts';

/** The levels that check something; `privileged` checks nothing. */
export type CheckedLevel = 'baseline' | 'restricted';

/** A pod, or the template of one. */
export interface CheckedPod {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: JsonObject;
}

/** Why a pod is refused: `reason` for a list of pods, `detail` for this one. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

export type PodCheck = (pod: CheckedPod) => Violation | undefined;

/** One control of the Pod Security Standards, and how it changed from one version of Kubernetes to the other. */
export interface SecurityCheck {
  readonly id: string;
  readonly level: CheckedLevel;
  /** By the minor version from which each applies, in ascending order. */
  readonly versions: readonly { readonly since: number; readonly check: PodCheck }[];
  /** The baseline check that this restricted one includes. */
  readonly overrides?: string;
}

/** In the order in which violations are reported. */
export function containersOf(spec: JsonObject): JsonObject[] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((member) =>
    objectsAt(spec, member),
  );
}

export function securityContext(holder: JsonObject): JsonObject {
  return objectAt(holder, 'securityContext');
}

/** The names of the containers for which the test is true. */
export function namesOf(spec: JsonObject, isBad: (container: JsonObject) => boolean): string[] {
  return containersOf(spec)
    .filter(isBad)
    .map((container) => textAt(container, 'name'));
}

/** `container "a"` or `containers "a", "b"`. */
export function titled(names: readonly string[]): string {
  return `${plural(names, 'container')} ${quoted(names)}`;
}

export function plural(items: { readonly length: number }, singular: string): string {
  return items.length === 1 ? singular : `${singular}s`;
}

export function quoted(items: readonly string[]): string {
  return items.map((item) => `"${item}"`).join(', ');
}

/** Each once, in order. */
export function distinct(items: Iterable<string>): string[] {
  return [...new Set(items)].toSorted();
}

/** Pod and containers that set something, as the subject of a sentence: `pod and container "a"`. */
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

/** Every security context of a pod, its own first. */
export function contextsOf({ spec }: CheckedPod): JsonObject[] {
  return [securityContext(spec), ...containersOf(spec).map(securityContext)];
}

/** The texts of a list. */
export function textsAt(object: JsonObject, key: string): string[] {
  const value: JsonValue | undefined = object[key];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
