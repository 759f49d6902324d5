import type { DeepReadonly, KubernetesObject } from '@keelson/apimachinery';
import type { InformerEvent, ObjectView } from '@keelson/informer';

/**
 * Decides whether an event matters to a controller. Synchronous and pure: it may run any number of
 * times. One that throws lets the event pass (a run too many is better than one too few) and is
 * counted. Looking at metadata costs nothing, `event.object.value()` parses the object.
 */
export type Predicate<T extends KubernetesObject = KubernetesObject> = (
  event: InformerEvent<T>,
) => boolean;

/**
 * Passes updates that changed `metadata.generation`, that is the spec (or set the deletion
 * timestamp): a controller that writes status is not woken by its own write. Everything that is
 * not an update passes. Kinds without a generation (ConfigMap, Secret, …) never pass an update.
 */
export function generationChanged(event: InformerEvent): boolean {
  return changed(event, (view) => view.metadata.generation);
}

/** Passes updates that changed a label; everything that is not an update passes. */
export function labelsChanged(event: InformerEvent): boolean {
  return mapChanged(event, (view) => view.metadata.labels);
}

/** Passes updates that changed an annotation; everything that is not an update passes. */
export function annotationsChanged(event: InformerEvent): boolean {
  return mapChanged(event, (view) => view.metadata.annotations);
}

/** Passes updates that changed anything at all: keeps out resyncs. */
export function resourceVersionChanged(event: InformerEvent): boolean {
  return changed(event, (view) => view.resourceVersion);
}

/** Passes what every predicate passes. */
export function and<T extends KubernetesObject>(
  ...predicates: readonly Predicate<T>[]
): Predicate<T> {
  return (event) => predicates.every((predicate) => predicate(event));
}

/** Passes what one of the predicates passes. */
export function or<T extends KubernetesObject>(
  ...predicates: readonly Predicate<T>[]
): Predicate<T> {
  return (event) => predicates.some((predicate) => predicate(event));
}

/** Passes what the predicate does not pass. */
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
