import { buildBinaries, cacheFolder, hasGo, type Binary } from '@keelson/e2e-control-plane';
import type { PeerContender } from '../cases/bench-case.ts';
import { buildRustPeer, hasCargo } from './rust-peer.ts';

/** The programs that exist on this machine or were built. A missing toolchain leaves its members `undefined`. */
export interface Programs {
  /** The folder of etcd and kube-apiserver. */
  readonly assets?: string;
  /** The contenders in Go. */
  readonly go?: string;
  /** The contenders in Rust. */
  readonly rust?: string;
}

/** The programs that the selected cases use. */
export interface Needed {
  /** A real API server, which needs Go unless `KUBEBUILDER_ASSETS` names its folder. */
  readonly real: boolean;
  readonly languages: ReadonlySet<PeerContender['language']>;
}

/** The toolchain that builds the contenders in a language. */
export const toolchains: Readonly<Record<PeerContender['language'], string>> = {
  go: 'Go',
  rust: 'cargo',
};

/** Builds the needed programs that are missing. */
export async function findPrograms(
  needed: Needed,
  environment: Readonly<Record<string, string | undefined>>,
  onProgress: (line: string) => void,
): Promise<Programs> {
  const { real, languages } = needed;
  const isRustNeeded = languages.has('rust') && (await hasCargo(environment));
  const rust = isRustNeeded ? { rust: await buildRustPeer(environment, onProgress) } : {};
  const given = environment.KUBEBUILDER_ASSETS;
  const assets = real && given !== undefined ? { assets: given } : {};
  if ((!real && !languages.has('go')) || !(await hasGo())) return { ...assets, ...rust };
  const binaries: Binary[] = real && given === undefined ? ['etcd', 'kube-apiserver'] : [];
  const folder = await cacheFolder(environment);
  const built = await buildBinaries({ binaries: [...binaries, 'peers'], folder, onProgress });
  return { ...(real && { assets: given ?? folder }), go: built.peers, ...rust };
}
