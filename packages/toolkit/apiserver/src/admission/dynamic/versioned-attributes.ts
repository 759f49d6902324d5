import { cloneJson } from '@keelson/structural-schema';
import type { ServedResource } from '../../resources/served-resource.ts';
import type { ApiObject } from '../../storage/api-object.ts';
import type { AdmissionAttributes, GroupVersionKind } from './admission-attributes.ts';

/** A request with its objects in the version that a webhook or policy requires. */
export interface VersionedAttributes {
  readonly attributes: AdmissionAttributes;
  /** The resource in that version. */
  readonly resource: ServedResource;
  readonly kind: GroupVersionKind;
  object: ApiObject | undefined;
  readonly oldObject: ApiObject | undefined;
}

/** The resource of a request in one version, with the kind of the object that the request contains. */
export interface MatchedResource {
  readonly resource: ServedResource;
  readonly kind: GroupVersionKind;
}

/** Converts the objects of a request to a version. */
export async function versioned(
  attributes: AdmissionAttributes,
  matched: MatchedResource,
): Promise<VersionedAttributes> {
  const { object, oldObject, resource } = attributes;
  return {
    attributes,
    ...matched,
    object: object && (await convert(object, resource, matched)),
    oldObject: oldObject && (await convert(oldObject, resource, matched)),
  };
}

/** Replaces the object of the request by the changed object of another version. */
export async function takeObject({
  attributes,
  object,
  resource,
  kind,
}: VersionedAttributes): Promise<void> {
  if (object === undefined) return;
  const own = { resource: attributes.resource, kind: attributes.kind };
  attributes.object = await convert(object, resource, own, kind);
}

async function convert(
  object: ApiObject,
  from: ServedResource,
  { resource, kind }: MatchedResource,
  ownKind: GroupVersionKind = from.facts,
): Promise<ApiObject> {
  // A form such as a Scale is the same in all versions of the resource.
  const isForm = kind.kind !== resource.facts.kind || ownKind.kind !== from.facts.kind;
  return from === resource || isForm ? cloneJson(object) : from.convert(object, resource);
}
