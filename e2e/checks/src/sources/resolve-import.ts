import { posix } from 'node:path';

import type { PackageManifest } from './workspace.ts';

/**
 * Returns the path of the source file that an import loads: a relative path resolved, or the `src/index.ts` of a
 * workspace package. Returns `undefined` for other packages.
 */
export function resolveImport(
  from: string,
  specifier: string,
  packages: readonly PackageManifest[],
): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier);
  const target = packages.find(({ name }) => name === specifier);
  return target === undefined ? undefined : `${target.folder}/src/index.ts`;
}

/** Returns the package of a bare specifier: `@a/b` of `@a/b/c`, `a` of `a/b`. */
export function packageNameOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
