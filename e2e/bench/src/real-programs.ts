import { buildBinaries, cacheFolder, hasGo, type Binary } from '@keelson/e2e-control-plane';

/** What the cases against a real API server run. */
export interface RealPrograms {
  /** The folder of etcd and kube-apiserver. */
  readonly assets: string;
  /** The contenders in Go. */
  readonly peers: string;
}

/** Builds what is not built yet. `undefined` without Go: then one of the contenders would be missing. */
export async function findRealPrograms(
  environment: Readonly<Record<string, string | undefined>>,
  onProgress: (line: string) => void,
): Promise<RealPrograms | undefined> {
  if (!(await hasGo())) return undefined;
  const given = environment.KUBEBUILDER_ASSETS;
  const folder = await cacheFolder(environment);
  const binaries: Binary[] = given === undefined ? ['etcd', 'kube-apiserver'] : [];
  const built = await buildBinaries({ binaries: [...binaries, 'peers'], folder, onProgress });
  return { assets: given ?? folder, peers: built.peers };
}
