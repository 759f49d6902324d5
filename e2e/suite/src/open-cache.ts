import { createClient, type Client, type ClientObserver, type Cluster } from '@keelson/client';
import { createInformerCache, type InformerCache, type InformerObserver } from '@keelson/informer';

/** A cache over a client of its own; disposing of it closes both. */
export interface OpenCache extends AsyncDisposable {
  readonly cache: InformerCache;
  readonly client: Client;
}

/** Opens a cache that freezes what it shows, so that a test that writes into it fails. */
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
