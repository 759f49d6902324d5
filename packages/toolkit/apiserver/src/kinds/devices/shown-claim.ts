import type { JsonObject } from '@keelson/structural-schema';
import { objectAt } from '../../json/json-members.ts';
import { builtinStruct } from '../../schema/builtin-types.ts';
import { shownStruct } from '../shared/shown-struct.ts';

/** Returns the spec of a ResourceClaim as kube-apiserver prints it in a message. */
export function shownClaimSpec(spec: JsonObject): JsonObject {
  return shownStruct(builtinStruct('resource.v1.ResourceClaimSpec'), spec);
}

/** As `shownClaimSpec`, for a template, whose metadata keeps the names of its JSON. */
export function shownTemplateSpec(spec: JsonObject): JsonObject {
  return { Spec: shownClaimSpec(objectAt(spec, 'spec')), ...objectAt(spec, 'metadata') };
}
