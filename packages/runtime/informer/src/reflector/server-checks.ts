import { isGone, isNotFound, isResourceVersionTooLarge } from '@keelson/apimachinery';
import type { ListerWatcher } from '../contract/lister-watcher.ts';
import { isOlder } from './resource-version.ts';

/** Whether a server has reached a version. One that is behind was restored or replaced. */
export type Check = 'behind' | 'reached';

/** How the newest version of a server compares with another one. */
export type Comparison = 'behind' | 'same' | 'ahead';

/**
 * Returns true if an error is a 404 and discovery confirms that the kind is not served. Without discovery the 404
 * suffices.
 */
export async function isGoneFrom(
  listerWatcher: ListerWatcher,
  error: Error,
  signal: AbortSignal,
): Promise<boolean> {
  if (!isNotFound(error)) return false;
  if (listerWatcher.isServed === undefined) return true;
  const isServed = await listerWatcher.isServed(signal);
  return !isServed && !signal.aborted;
}

/** Checks whether the server has reached a version. */
export async function checkReached(
  listerWatcher: ListerWatcher,
  version: string,
  signal: AbortSignal,
): Promise<Check> {
  try {
    const listed = await listedVersion(listerWatcher, version, signal);
    return listed !== undefined && isOlder(listed, version) ? 'behind' : 'reached';
  } catch (error) {
    if (isResourceVersionTooLarge(error)) return 'behind';
    // A server can only expire versions that it has reached.
    if (isGone(error)) return 'reached';
    throw error;
  }
}

/**
 * Compares the newest version of the server with another one. Versions without an order count as `ahead` if they
 * differ.
 */
export async function compareNewest(
  listerWatcher: ListerWatcher,
  version: string,
  signal: AbortSignal,
): Promise<Comparison> {
  const newest = await listedVersion(listerWatcher, '', signal).catch(unlessExpired);
  if (newest === undefined || newest === version) return 'same';
  return isOlder(newest, version) ? 'behind' : 'ahead';
}

/** Ignores a 410: the server has reached the version before, and a newer one is not known. Throws any other error. */
function unlessExpired(error: unknown): undefined {
  if (!isGone(error)) throw error;
}

/** Returns the version of a list, of which it requests only one object. */
async function listedVersion(
  listerWatcher: ListerWatcher,
  resourceVersion: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const request = { resourceVersion, limit: 1, signal };
  for await (const { listMetadata } of listerWatcher.list(request)) {
    if (listMetadata?.resourceVersion !== undefined) return listMetadata.resourceVersion;
  }
  signal.throwIfAborted();
  return undefined;
}
