import type { ApiRequest } from '../http/api-request.ts';
import { tableFor } from '../presentation/object-response.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { EventFrames } from './event-frames.ts';
import { jsonText } from '@keelson/structural-schema';

/** Encodes the events of a watch for Tables: one row each, the first with column definitions. */
export function tableLines(request: ApiRequest, resource: ServedResource): EventFrames {
  let withDefinitions = true;
  return new EventFrames({
    object(stored) {
      const table = rowOf(request, resource, stored, withDefinitions);
      withDefinitions = false;
      return Buffer.from(jsonText(table));
    },
    bookmark: (metadata) => ({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: metadata.resourceVersion },
      columnDefinitions: null,
      rows: [
        {
          cells: [],
          object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata },
        },
      ],
    }),
  });
}

function rowOf(
  request: ApiRequest,
  resource: ServedResource,
  stored: StoredObject,
  withDefinitions: boolean,
): object {
  const { resourceVersion = '' } = stored.metadata;
  return tableFor(request, resource, [stored], { metadata: { resourceVersion }, withDefinitions });
}
