import type { ApiResource, KubernetesObject } from '@keelson/apimachinery';
import { decoded, itemOf, statusOfFrame, watchFrames } from './frame-stream.ts';
import { AbortableIterator } from './abortable-iterator.ts';
import type { Caller } from '../calls/caller.ts';
import { requestFor } from '../calls/request-for.ts';
import { watchQuery, type WatchOptions } from '../calls/request-options.ts';
import { collectionPath } from '../calls/resource-path.ts';
import type { TransportRequest } from '../../http/transport-request.ts';
import type { Bookmark, WatchEvent } from './watch-event.ts';

/**
 * Yields the events of one watch request with parsed objects. Ends when the server ends the watch; throws an
 * ERROR event as an error.
 */
export function readWatch<T extends KubernetesObject>(
  caller: Caller,
  resource: ApiResource<T>,
  options: WatchOptions,
): AsyncIterableIterator<WatchEvent<T>> {
  const request = requestFor('watch', {
    pool: 'watches',
    path: collectionPath(resource, options.namespace),
    query: watchQuery(options),
  });
  return new AbortableIterator(caller.signalOf(options.signal), (signal) =>
    readEvents(caller, resource, { ...request, signal }),
  );
}

async function* readEvents<T extends KubernetesObject>(
  caller: Caller,
  resource: ApiResource<T>,
  request: TransportRequest,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const { transport } = caller;
  for await (const { frames } of watchFrames({ transport, resource, request })) {
    for (const frame of frames) {
      if (frame.type === 'ERROR') throw statusOfFrame(frame, request);
      if (frame.type === 'BOOKMARK') {
        yield { type: frame.type, object: decoded(frame) as Bookmark };
        continue;
      }
      const object = itemOf<T>(resource, frame, request);
      caller.returned(object);
      yield { type: frame.type, object };
    }
  }
}
