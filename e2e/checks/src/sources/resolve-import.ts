import { posix } from 'node:path';

import type { PackageManifest } from './workspace.ts';

/**
 * The path of the source file that an import loads, or `undefined` where it is not one of the
 * repository's: a relative path as it stands, a package of the workspace by its door.
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

/** The package that a bare specifier names: `@a/b` of `@a/b/c`, `a` of `a/b`. */
export function packageNameOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
