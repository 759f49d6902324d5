import type { KubernetesObject } from '@keelson/apimachinery';
import {
  cloneJson,
  type JsonObject,
  jsonText,
  parseExact,
  sortMembers,
} from '@keelson/structural-schema';
import type { SchemaType } from '../schema/schema-type.ts';
import { compareObjects } from './comparison.ts';
import { FieldSet } from './fields/field-set.ts';
import { fieldSetOf } from './fields/field-set-of.ts';
import { withoutManagedFields } from './record-update.ts';

/** The annotation in which client-side `kubectl apply` records the applied configuration. */
export const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * The fields of client-side apply whose values are unchanged since then. `kubectl` takes them over when it changes to
 * server-side apply.
 */
export function lastAppliedFields(
  type: SchemaType,
  live: KubernetesObject,
  apiVersion: string,
): FieldSet {
  const applied = parseLastApplied(live);
  if (applied === undefined || applied.apiVersion !== apiVersion) return new FieldSet();
  const { added, modified, removed } = compareObjects(type, applied, withoutManagedFields(live));
  return fieldSetOf(type, applied).difference(modified).difference(added).difference(removed);
}

/** Updates the annotation with the configuration that `kubectl` applies; an object without it gets none. */
export function refreshLastApplied(object: KubernetesObject, applied: KubernetesObject): void {
  const annotations = object.metadata?.annotations;
  if (annotations?.[lastAppliedAnnotation] === undefined) return;
  const configuration = cloneJson(applied);
  delete configuration.metadata?.annotations?.[lastAppliedAnnotation];
  // kubectl sorts the keys of the annotation and compares it as text.
  annotations[lastAppliedAnnotation] = `${jsonText(sortMembers(configuration as JsonObject))}\n`;
}

function parseLastApplied(live: KubernetesObject): JsonObject | undefined {
  const text = live.metadata?.annotations?.[lastAppliedAnnotation];
  if (text === undefined) return undefined;
  try {
    return parseExact(text) as JsonObject;
  } catch {
    return undefined;
  }
}
