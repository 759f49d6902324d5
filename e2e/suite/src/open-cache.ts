import { createClient, type Client, type ClientObserver, type Cluster } from '@keelson/client';
import { createInformerCache, type InformerCache, type InformerObserver } from '@keelson/informer';

/** A cache with its own client; disposing of it closes both. */
export interface OpenCache extends AsyncDisposable {
  readonly cache: InformerCache;
  readonly client: Client;
}

/** Opens a cache that freezes its objects, so that a test that changes one fails. */
export function openCache(
  cluster: Cluster,
  observer: InformerObserver = {},
  clientObserver: ClientObserver = {},
): OpenCache {
  const client = createClient({ cluster, observer: clientObserver });
  const cache = createInformerCache({
    listerWatcher: (query) => client.listerWatcher(query),
    freeze: true,
    linger: 0,
    observer,
  });
  return {
    cache,
    client,
    async [Symbol.asyncDispose]() {
      await cache.close();
      await client.close();
    },
  };
}
