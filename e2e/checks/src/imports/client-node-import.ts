import { packageNameOf } from '../sources/resolve-import.ts';
import { isTest } from '../sources/source-file.ts';
import type { SourceModule } from '../sources/source-module.ts';

/** The one module that loads client-node. */
export const clientNodeDoor = 'packages/client/src/cluster/kubeconfig/kubeconfig.ts';

/**
 * The sources of packages that load `@kubernetes/client-node` at run time beside the one that may. The tests of
 * the client may too: what they test stands on it.
 */
export function findClientNodeLoads(modules: readonly SourceModule[]): string[] {
  return modules
    .filter(({ path }) => path.startsWith('packages/') && !mayLoad(path))
    .filter(({ imports }) =>
      imports.some(
        ({ specifier = '', typeOnly }) =>
          packageNameOf(specifier) === '@kubernetes/client-node' && !typeOnly,
      ),
    )
    .map(({ path }) => path);
}

function mayLoad(path: string): boolean {
  return path === clientNodeDoor || (path.startsWith('packages/client/') && isTest(path));
}
