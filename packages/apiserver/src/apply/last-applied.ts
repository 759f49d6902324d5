import type { KubernetesObject } from '@keelson/apimachinery';
import { cloneJson, type JsonObject, sortMembers } from '../json/json-value.ts';
import type { SchemaType } from '../schema/schema-type.ts';
import { compareObjects } from './comparison.ts';
import { FieldSet } from './fields/field-set.ts';
import { fieldSetOf } from './fields/field-set-of.ts';
import { bare } from './record-update.ts';
import { jsonText, parseExact } from '../json/exact-json.ts';

/** Where `kubectl apply` without `--server-side` notes what it applied. */
export const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * The fields that `kubectl` applied on the client's side and that still have the value it gave them: it may
 * take them over when it starts to apply on the server's side.
 */
export function lastAppliedFields(
  type: SchemaType,
  live: KubernetesObject,
  apiVersion: string,
): FieldSet {
  const applied = parseLastApplied(live);
  if (applied === undefined || applied.apiVersion !== apiVersion) return new FieldSet();
  const { added, modified, removed } = compareObjects(type, applied, bare(live));
  return fieldSetOf(type, applied).difference(modified).difference(added).difference(removed);
}

/** Keeps the annotation in step with what `kubectl` applies, as long as it is there. */
export function refreshLastApplied(object: KubernetesObject, applied: KubernetesObject): void {
  const annotations = object.metadata?.annotations;
  if (annotations?.[lastAppliedAnnotation] === undefined) return;
  const configuration = cloneJson(applied);
  delete configuration.metadata?.annotations?.[lastAppliedAnnotation];
  // kubectl writes the annotation with sorted keys, and compares texts.
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
