import { fileURLToPath } from 'node:url';

/** A module of the installed manager, or of the one in this repository. */
const OWN_MODULE = /\/(?:@keelson|packages\/runtime)\/manager\/(?:src|dist)\/[^/]+$/;

/** The texts by which a line of a stack is recognized as code of Keelson. */
export const ownPlaces: readonly string[] = ownPlacesOf(import.meta.url);

/**
 * Returns the folder of Keelson's packages as a URL and as a path. An operator that is bundled into one file has no
 * such folder, so frames of Keelson are recognized only with source maps.
 */
export function ownPlacesOf(url: string | undefined): string[] {
  if (url === undefined || !OWN_MODULE.test(url)) return ['/node_modules/@keelson/'];
  const folder = new URL(url.includes('/packages/runtime/') ? '../../../' : '../../', url);
  return [folder.href, fileURLToPath(folder)];
}
