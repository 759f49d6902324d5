import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A module that users import, and its source. */
export interface EntryPoint {
  /** `@keelson/manager/sources`. */
  readonly name: string;
  /** The absolute path of its source. */
  readonly file: string;
}

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | { readonly '@keelson/source': string }>>;
}

/**
 * Returns the entry points of packages, except `internal` ones. The order is that of the packages: TypeDoc describes a name
 * at the first entry point that exports it, and the others refer to that page.
 */
export function entryPointsOf(root: string, folders: readonly string[]): EntryPoint[] {
  return folders.flatMap((folder) => {
    const text = readFileSync(join(root, folder, 'package.json'), 'utf8');
    const { name, exports } = JSON.parse(text) as Manifest;
    return Object.entries(exports).flatMap(([path, target]) => {
      if (typeof target === 'string' || path === './internal') return [];
      return [{ name: name + path.slice(1), file: join(root, folder, target['@keelson/source']) }];
    });
  });
}
