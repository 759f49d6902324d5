import type { ListMeta } from '@keelson/apimachinery';
import type { ServedResource } from '../resources/served-resource.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { jsonText } from '../json/exact-json.ts';

/** A form in which stored objects travel as JSON without being looked at one by one by the caller. */
export interface Presentation {
  /** An object by itself, also inside a watch event. */
  object(stored: StoredObject): Buffer;
  item(stored: StoredObject): Buffer;
  /** What stands before and behind the items of a list. */
  list(metadata: ListMeta): readonly [head: string, tail: string];
  /** A list without items, where that is written in another way. */
  empty?(metadata: ListMeta): string;
  /** The object of a bookmark. */
  bookmark(metadata: { resourceVersion: string; annotations?: Record<string, string> }): object;
}

/** The objects as they are. */
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

const metaVersion = 'meta.k8s.io/v1';

/** The metadata alone, whatever the kind. */
export const partialObjects: Presentation = {
  object: partial,
  item: partial,
  list: (metadata) => list('PartialObjectMetadataList', metaVersion, metadata),
  empty: (metadata) =>
    `${JSON.stringify({ kind: 'PartialObjectMetadataList', apiVersion: metaVersion, metadata, items: null })}\n`,
  bookmark: (metadata) => ({ kind: 'PartialObjectMetadata', apiVersion: metaVersion, metadata }),
};

function partial(stored: StoredObject): Buffer {
  const { metadata } = stored.parse();
  const object = { kind: 'PartialObjectMetadata', apiVersion: metaVersion, metadata };
  return Buffer.from(jsonText(object));
}

function list(kind: string, apiVersion: string, metadata: ListMeta): [string, string] {
  const head = JSON.stringify({ kind, apiVersion, metadata });
  return [`${head.slice(0, -1)},"items":[`, ']}\n'];
}

/** Lists of custom resources are written in alphabetical order, their metadata behind the items. */
function customList(resource: ServedResource, metadata: ListMeta): [string, string] {
  const apiVersion = JSON.stringify(resource.apiVersion);
  const kind = JSON.stringify(resource.facts.listKind);
  const { continue: token = '', ...rest } = metadata;
  const tail = JSON.stringify({ continue: token, ...rest });
  return [`{"apiVersion":${apiVersion},"items":[`, `],"kind":${kind},"metadata":${tail}}\n`];
}
