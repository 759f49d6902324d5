import type { CacheScope } from './cache-scope.ts';
import type { ObjectWaits } from './object-wait.ts';
import type { ReadScope } from './serving-stores.ts';
import { StoreReader } from './store-reader.ts';
import type { WaitForSyncOptions } from './sync-wait.ts';

/** The cache of one component: its reads are served by its own handles. */
export class ScopedCache extends StoreReader implements CacheScope {
  readonly acquire: CacheScope['acquire'];
  readonly waitForSync: (options?: WaitForSyncOptions) => Promise<void>;

  constructor(
    scope: ReadScope,
    now: () => number,
    objectWaits: ObjectWaits,
    {
      acquire,
      waitForSync,
    }: Pick<CacheScope, 'acquire'> & {
      waitForSync: (options: WaitForSyncOptions) => Promise<void>;
    },
  ) {
    super(scope, now, objectWaits);
    this.acquire = acquire;
    this.waitForSync = (options = {}) => waitForSync(options);
  }
}
