import type { Format } from '@keelson/wire';

/** Describes how the bytes of a slab represent objects. */
export interface Encoding {
  readonly format: Format;
  /** Inflates the bytes of an object; `undefined` if they are as the format has them. */
  readonly compression: { inflate(bytes: Uint8Array): Buffer } | undefined;
  /** True if the store has dropped the bodies of the objects. */
  readonly isHeadOnly: boolean;
}
