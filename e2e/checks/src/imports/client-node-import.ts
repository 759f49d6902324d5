import { packageNameOf } from '../sources/resolve-import.ts';
import { isTest } from '../sources/source-file.ts';
import type { SourceModule } from '../sources/source-module.ts';

/** The only module that may load client-node. */
export const clientNodeModule = 'packages/runtime/client/src/cluster/kubeconfig/client-node.ts';

/**
 * Finds package sources that load `@kubernetes/client-node` at run time, except the permitted module. Tests of the
 * client may load it too, because they test code that uses it.
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
  return path === clientNodeModule || (path.startsWith('packages/runtime/client/') && isTest(path));
}
