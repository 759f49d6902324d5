// Where the packages run
export { InstalledProject } from './installed-project.ts';
export { libraryNames } from './library-names.ts';
export { outputOf, type CommandPlace } from './output-of.ts';
export { PackedRegistry } from './packed-registry.ts';
export { compilerOptions, programOfTypes } from './program-of-types.ts';
export {
  mountServiceAccount,
  podEnvironment,
  writeServiceAccount,
  type PodOptions,
  type ServiceAccountFiles,
} from './pod.ts';
