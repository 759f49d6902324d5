import {
  checkCount,
  checkFlag,
  checkMethods,
  checkOptions,
  parseDuration,
} from '@keelson/apimachinery';
import {
  checkMemoryBudget,
  type InformerCache,
  type InformerCacheOptions,
} from '@keelson/informer';

/** The limits of the cache that a manager creates; the defaults are those of `createInformerCache`. */
export type CacheOptions = Pick<
  InformerCacheOptions,
  'linger' | 'parsedBytes' | 'memoryBudget' | 'keepManagedFields' | 'freeze' | 'overlay'
>;

const optionNames = [
  'linger',
  'parsedBytes',
  'memoryBudget',
  'keepManagedFields',
  'freeze',
  'overlay',
] as const satisfies readonly (keyof CacheOptions)[];

/** The methods of a given cache that the manager calls. */
const cacheMethods = [
  'acquire',
  'scope',
  'inventory',
  'memory',
  'written',
  'deleted',
] as const satisfies readonly (keyof InformerCache)[];

/** True for a cache, false for options of one. */
export function isCache(cache: InformerCache | CacheOptions): cache is InformerCache {
  return 'acquire' in cache;
}

/** Throws `INVALID_OPTION` unless the value is a cache or options of one. */
export function checkCache(cache: InformerCache | CacheOptions, where: string): void {
  checkMethods(cache, [], where);
  if (isCache(cache)) checkMethods(cache, cacheMethods, where);
  else checkCacheOptions(cache, where);
}

/** Throws `INVALID_OPTION` unless the value has options of a cache. */
export function checkCacheOptions(cache: CacheOptions, where: string): void {
  checkOptions(cache, optionNames, where);
  const { linger = 0, parsedBytes = 1, memoryBudget, keepManagedFields, freeze } = cache;
  parseDuration(linger, `${where}.linger`);
  checkCount(parsedBytes, `${where}.parsedBytes`);
  if (memoryBudget !== undefined) checkMemoryBudget(memoryBudget, `${where}.memoryBudget`);
  checkFlag(keepManagedFields, `${where}.keepManagedFields`);
  checkFlag(freeze, `${where}.freeze`);
  checkFlag(cache.overlay, `${where}.overlay`);
}
