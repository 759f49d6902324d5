import type { DeepReadonly, KubernetesObject } from '@keelson/apimachinery';
import type { InformerEvent, ObjectView } from '@keelson/informer';

/**
 * Decides whether an event leads to a request. It must be synchronous and pure, and it may run any number of times.
 * If it throws, the error is counted and the event passes: an extra run is better than a missing one. Reading
 * metadata is cheap; `event.object.value()` parses the object.
 */
export type Predicate<T extends KubernetesObject = KubernetesObject> = (
  event: InformerEvent<T>,
) => boolean;

/**
 * Passes updates that changed `metadata.generation`, and every event that is not an update. The API server raises the
 * generation when the spec changes or a deletion begins, so a controller's own status write does not pass. Updates
 * of kinds without a generation (ConfigMap, Secret, …) never pass.
 */
export function generationChanged(event: InformerEvent): boolean {
  return changed(event, (view) => view.metadata.generation);
}

/** Passes updates that changed a label, and every event that is not an update. */
export function labelsChanged(event: InformerEvent): boolean {
  return mapChanged(event, (view) => view.metadata.labels);
}

/** Passes updates that changed an annotation, and every event that is not an update. */
export function annotationsChanged(event: InformerEvent): boolean {
  return mapChanged(event, (view) => view.metadata.annotations);
}

/** Passes updates with a new resourceVersion, and every event that is not an update. Resyncs do not pass. */
export function resourceVersionChanged(event: InformerEvent): boolean {
  return changed(event, (view) => view.resourceVersion);
}

/** Passes an event if every predicate passes it. */
export function and<T extends KubernetesObject>(
  ...predicates: readonly Predicate<T>[]
): Predicate<T> {
  return (event) => predicates.every((predicate) => predicate(event));
}

/** Passes an event if at least one predicate passes it. */
export function or<T extends KubernetesObject>(
  ...predicates: readonly Predicate<T>[]
): Predicate<T> {
  return (event) => predicates.some((predicate) => predicate(event));
}

/** Passes an event if the predicate does not pass it. */
export function not<T extends KubernetesObject>(predicate: Predicate<T>): Predicate<T> {
  return (event) => !predicate(event);
}

function changed(event: InformerEvent, part: (view: ObjectView) => unknown): boolean {
  return event.type !== 'updated' || part(event.previous) !== part(event.object);
}

type TextMap = DeepReadonly<Record<string, string>> | undefined;

function mapChanged(event: InformerEvent, part: (view: ObjectView) => TextMap): boolean {
  return event.type !== 'updated' || !sameMap(part(event.previous), part(event.object));
}

function sameMap(a: TextMap = {}, b: TextMap = {}): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}
