import { buildBinaries, cacheFolder, hasGo, type Binary } from '@keelson/e2e-control-plane';

/** The programs of the cases against a real API server. */
export interface RealPrograms {
  /** The folder of etcd and kube-apiserver. */
  readonly assets: string;
  /** The contenders in Go. */
  readonly peers: string;
}

/** Builds the missing programs. Returns `undefined` without Go, because a contender would be missing. */
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
