// The real control plane for tests
export { binaries, isBinary, type Binary } from './binary.ts';
export { buildBinaries, type BinaryPaths, type BuildOptions } from './build-binaries.ts';
export { cacheFolder, kubernetesVersion } from './cache-folder.ts';
export { goProgram, type GoProgram } from './go-program.ts';
export { goModuleFolder } from './go-module-folder.ts';
export { helmProgram } from './helm-program.ts';
export { hasGo } from './go-toolchain.ts';
