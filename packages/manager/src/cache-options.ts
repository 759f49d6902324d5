import { checkOptions, invalidOption, parseDuration } from '@keelson/apimachinery';
import type { InformerCache, InformerCacheOptions } from '@keelson/informer';

/** How the cache of a manager keeps objects and watches. */
export type CacheOptions = Pick<
  InformerCacheOptions,
  'linger' | 'parsedBytes' | 'keepManagedFields' | 'freeze'
>;

const optionNames = [
  'linger',
  'parsedBytes',
  'keepManagedFields',
  'freeze',
] as const satisfies readonly (keyof CacheOptions)[];

/** True for a cache that exists, false for options of one. */
export function isCache(cache: InformerCache | CacheOptions): cache is InformerCache {
  return 'acquire' in cache;
}

/** Throws `INVALID_OPTION` unless the value is a cache or options of one. */
export function checkCache(cache: InformerCache | CacheOptions, where: string): void {
  if (typeof cache !== 'object' || cache === null) {
    throw invalidOption(where, 'must be a cache, or options of one');
  }
  if (isCache(cache)) return;
  checkOptions(cache, optionNames, where);
  const { linger = 0, parsedBytes = 1, keepManagedFields, freeze } = cache;
  parseDuration(linger, `${where}.linger`);
  if (!Number.isInteger(parsedBytes) || parsedBytes <= 0) {
    throw invalidOption(`${where}.parsedBytes`, 'must be a positive integer');
  }
  for (const [name, value] of Object.entries({ keepManagedFields, freeze })) {
    if (value !== undefined && typeof value !== 'boolean') {
      throw invalidOption(`${where}.${name}`, 'must be true or false');
    }
  }
}
