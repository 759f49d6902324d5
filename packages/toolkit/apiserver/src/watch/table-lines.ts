import type { ApiRequest } from '../http/api-request.ts';
import type { MetaVersion } from '../http/media-type.ts';
import { tableFor } from '../presentation/object-response.ts';
import { partialOf } from '../presentation/presentation.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import { EventFrames } from './event-frames.ts';
import { jsonText } from '@keelson/structural-schema';

/** Encodes the events of a watch for Tables: one row each, the first with column definitions. */
export function tableLines(
  request: ApiRequest,
  resource: ServedResource,
  apiVersion: MetaVersion,
): EventFrames {
  let withDefinitions = true;
  return new EventFrames({
    object(stored) {
      const metadata = { resourceVersion: stored.metadata.resourceVersion ?? '' };
      const options = { apiVersion, metadata, withDefinitions };
      const table = tableFor(request, resource, [stored], options);
      withDefinitions = false;
      return Buffer.from(jsonText(table));
    },
    bookmark: (metadata) => ({
      kind: 'Table',
      apiVersion,
      metadata: { resourceVersion: metadata.resourceVersion },
      columnDefinitions: null,
      rows: [{ cells: [], object: partialOf(apiVersion, metadata) }],
    }),
  });
}
