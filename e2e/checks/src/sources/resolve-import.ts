import { posix } from 'node:path';

/** Returns the path of the source file that a relative import loads, and `undefined` for a package. */
export function resolveImport(from: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : undefined;
}

/** Returns the package of a bare specifier: `@a/b` of `@a/b/c`, `a` of `a/b`. */
export function packageNameOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
