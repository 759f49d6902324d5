import { binaries, buildBinaries, cacheFolder, hasGo } from '@keelson/e2e-control-plane';

/**
 * The folder of a real control plane: `KUBEBUILDER_ASSETS`, else the cache, where what is missing is
 * built first; `undefined` where there is neither that variable nor Go.
 */
export async function assetsOf(
  env: Readonly<Record<string, string | undefined>>,
  onProgress: (line: string) => void,
): Promise<string | undefined> {
  if (env.KUBEBUILDER_ASSETS) return env.KUBEBUILDER_ASSETS;
  if (!(await hasGo())) return undefined;
  const folder = await cacheFolder(env);
  await buildBinaries({ binaries, folder, onProgress });
  return folder;
}
