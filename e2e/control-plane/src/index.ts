// The real control plane for tests
export { binaries, isBinary, type Binary } from './binary.ts';
export { buildBinaries, hasGo, type BuildOptions } from './build-binaries.ts';
export { cacheFolder, kubernetesVersion } from './cache-folder.ts';
