import type { ApiResource, KubernetesObject } from '@keelson/apimachinery';
import { decoded, statusOfFrame, watchFrames } from './frame-stream.ts';
import { watchQuery, type WatchOptions } from './request-options.ts';
import { collectionPath } from './resource-path.ts';
import type { Transport, TransportRequest } from './transport.ts';
import type { Bookmark, WatchEvent } from './watch-event.ts';

/** One watch, its objects parsed. Ends when the server ends it; an ERROR is thrown. */
export async function* readWatch<T extends KubernetesObject>(
  transport: Transport,
  resource: ApiResource<T>,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const request: TransportRequest = {
    verb: 'watch',
    method: 'GET',
    repeatable: 'safe',
    path: collectionPath(resource, options.namespace),
    query: watchQuery(options),
    signal: options.signal,
  };
  for await (const { frames } of watchFrames(transport, request)) {
    for (const frame of frames) {
      if (frame.type === 'ERROR') throw statusOfFrame(frame, request);
      const object = decoded(frame);
      yield frame.type === 'BOOKMARK'
        ? { type: 'BOOKMARK', object: object as Bookmark }
        : { type: frame.type, object: object as T };
    }
  }
}
