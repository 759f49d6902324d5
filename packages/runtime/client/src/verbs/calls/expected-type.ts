import { apiVersionOf, type ApiResource } from '@keelson/apimachinery';

/** The members with which a response names its type. A server may leave out either one. */
export interface NamedType {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
}

/** The kind of a list with the metadata projection, for every resource. */
const METADATA_LIST = 'PartialObjectMetadataList';
const METADATA_OBJECT = 'PartialObjectMetadata';
/** The kind of a list of any objects, which some aggregated API servers send. */
const GENERIC_LIST = 'List';

/**
 * True if a response names a type other than a list of the resource. A member that has not arrived yet does not count.
 */
export function namesOtherList(resource: ApiResource, { apiVersion, kind }: NamedType): boolean {
  if (kind === undefined || kind === null || kind === GENERIC_LIST) return false;
  if (isUsualList(resource, kind)) return false;
  // A definition may give its list any kind (`listKind`). The group of a definition contains a dot.
  if (!resource.group.includes('.')) return true;
  return apiVersion !== undefined && apiVersion !== apiVersionOf(resource);
}

/**
 * True if a complete response is a list of the resource. Go servers write the items of an empty list as null,
 * or omit them; a list without items must name its kind.
 */
export function isListOf(
  resource: ApiResource,
  { hasItems, ...type }: NamedType & { readonly hasItems: boolean },
): boolean {
  return (hasItems || isUsualList(resource, type.kind)) && !namesOtherList(resource, type);
}

/** True if an object names an apiVersion or a kind other than that of the resource. */
export function namesOtherObject(resource: ApiResource, { apiVersion, kind }: NamedType): boolean {
  return (
    (kind ?? resource.kind) !== resource.kind ||
    (apiVersion ?? apiVersionOf(resource)) !== apiVersionOf(resource)
  );
}

/** True if an object names a kind other than that of the resource. */
export function isOtherKind(resource: ApiResource, { kind }: NamedType): boolean {
  return kind !== undefined && kind !== null && kind !== resource.kind && kind !== METADATA_OBJECT;
}

/** True if an item of a list or a watch names a kind or an apiVersion other than that of the resource. */
export function namesOtherItem(resource: ApiResource, item: NamedType): boolean {
  return item.kind !== METADATA_OBJECT && namesOtherObject(resource, item);
}

function isUsualList(resource: ApiResource, kind: unknown): boolean {
  return kind === `${resource.kind}List` || kind === METADATA_LIST;
}
