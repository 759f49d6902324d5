import type { ApiResource } from '@keelson/apimachinery';
import type { PartObject } from '../contract/watch-part.ts';
import type { Growth } from '../memory/growth.ts';
import type { SlabPool } from '../memory/slab-pool.ts';

/** The watch of a store, and the parts that stores share. */
export interface StoreSettings {
  readonly resource: ApiResource;
  /** The field selector of the watch, in normal form. */
  readonly fieldSelector?: string | undefined;
  /** The name of the transform of the watch. */
  readonly transform?: string | undefined;
  /** True for an object that the watch does not keep. Default: it keeps all objects. */
  readonly isOutside?: ((object: PartObject) => boolean) | undefined;
  readonly slabs: SlabPool;
  /** Reports the growth of the store. */
  readonly growth?: Growth | undefined;
  readonly now: () => number;
  readonly onIndexerError: (indexer: string, error: unknown) => void;
}
