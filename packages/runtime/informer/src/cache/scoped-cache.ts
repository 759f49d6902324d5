import type { CacheScope } from './cache-scope.ts';
import type { ReadScope } from './serving-stores.ts';
import { StoreReader, type ReaderHost } from './store-reader.ts';
import type { WaitForSyncOptions } from './sync-wait.ts';

/** The cache of one component: its reads are served by its own handles. */
export class ScopedCache extends StoreReader implements CacheScope {
  readonly acquire: CacheScope['acquire'];
  readonly waitForSync: (options?: WaitForSyncOptions) => Promise<void>;

  constructor(
    scope: ReadScope,
    host: ReaderHost,
    {
      acquire,
      waitForSync,
    }: Pick<CacheScope, 'acquire'> & {
      waitForSync: (options: WaitForSyncOptions) => Promise<void>;
    },
  ) {
    super(scope, host);
    this.acquire = acquire;
    this.waitForSync = (options = {}) => waitForSync(options);
  }
}
