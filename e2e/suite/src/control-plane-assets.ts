import { cacheFolder, hasGo } from '@keelson/e2e-control-plane';

/**
 * Returns the folder of a real control plane: `KUBEBUILDER_ASSETS`, or the cache, for which `build` builds missing
 * binaries. Returns `undefined` if neither the variable nor Go exists.
 */
export async function assetsOf(
  env: Readonly<Record<string, string | undefined>>,
  build: () => Promise<boolean>,
): Promise<string | undefined> {
  if (env.KUBEBUILDER_ASSETS) return env.KUBEBUILDER_ASSETS;
  if (!(await hasGo())) return undefined;
  if (!(await build())) throw new Error('the binaries of a control plane could not be built');
  return cacheFolder(env);
}
