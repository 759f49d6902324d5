import type { ListMeta } from '@keelson/apimachinery';
import type { MetaVersion } from '../http/media-type.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { jsonText } from '@keelson/structural-schema';

/** Converts stored objects to JSON. Callers copy the bytes and need not parse them. */
export interface Presentation {
  /** The JSON of a single object, also inside a watch event. */
  object(stored: StoredObject): Buffer;
  item(stored: StoredObject): Buffer;
  /** The text of a list before and after its items. */
  list(metadata: ListMeta): readonly [head: string, tail: string];
  /** The text of a list without items, if it differs from head and tail. */
  empty?(metadata: ListMeta): string;
  /** The object of a bookmark event. */
  bookmark(metadata: { resourceVersion: string; annotations?: Record<string, string> }): object;
}

/** Presents whole objects. */
export function wholeObjects(resource: ServedResource): Presentation {
  const { kind, listKind, custom } = resource.facts;
  const { apiVersion } = resource;
  return {
    object: (stored) => resource.bytes(stored),
    item: (stored) => resource.itemBytes(stored),
    list: (metadata) =>
      custom ? customList(resource, metadata) : list(listKind, apiVersion, metadata),
    bookmark: (metadata) =>
      custom
        ? {
            apiVersion,
            kind,
            metadata: {
              annotations: metadata.annotations,
              resourceVersion: metadata.resourceVersion,
            },
          }
        : { kind, apiVersion, metadata },
  };
}

/** Presents only the metadata of objects, for every kind. */
export function partialObjects(apiVersion: MetaVersion): Presentation {
  const kind = 'PartialObjectMetadataList';
  const item = (stored: StoredObject): Buffer =>
    Buffer.from(jsonText(partialOf(apiVersion, stored.parse().metadata)));
  return {
    object: item,
    item,
    list: (metadata) => list(kind, apiVersion, withoutShards(metadata)),
    empty: (metadata) =>
      `${JSON.stringify({ kind, apiVersion, metadata: withoutShards(metadata), items: null })}\n`,
    bookmark: (metadata) => partialOf(apiVersion, metadata),
  };
}

/** An object without its content. */
export interface PartialObject {
  readonly kind: 'PartialObjectMetadata';
  readonly apiVersion: MetaVersion;
  readonly metadata: object;
}

/** Returns the object that shows only the metadata of another one. */
export function partialOf(apiVersion: MetaVersion, metadata: object): PartialObject {
  return { kind: 'PartialObjectMetadata', apiVersion, metadata };
}

function list(kind: string, apiVersion: string, metadata: ListMeta): [string, string] {
  const head = JSON.stringify({ kind, apiVersion, metadata });
  return [`${head.slice(0, -1)},"items":[`, ']}\n'];
}

/** kube-apiserver echoes the shard selector only in whole lists of built-in kinds. */
export function withoutShards({ shardInfo: _echo, ...metadata }: ListMeta): ListMeta {
  return metadata;
}

/** Members of a custom list are in alphabetical order, so its metadata follows the items. */
function customList(resource: ServedResource, metadata: ListMeta): [string, string] {
  const apiVersion = JSON.stringify(resource.apiVersion);
  const kind = JSON.stringify(resource.facts.listKind);
  const { continue: token = '', ...rest } = withoutShards(metadata);
  const tail = JSON.stringify({ continue: token, ...rest });
  return [`{"apiVersion":${apiVersion},"items":[`, `],"kind":${kind},"metadata":${tail}}\n`];
}
