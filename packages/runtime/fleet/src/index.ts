/**
 * Providers of clusters: each watches where the clusters of a fleet are described, and adds them to a manager, replaces
 * them and removes them.
 *
 * - A cluster whose description changes is replaced, and one whose description is gone is removed.
 * - A description that cannot be used leaves the former cluster in place, is counted and tried again.
 * - A kubeconfig of another party runs no command and reads no file, unless the options allow it.
 * - No secret of a kubeconfig is in a log line or an error.
 * - Invalid options throw at the call, and the error names the option.
 *
 * @module
 */

// Providers
export {
  addKubeConfigSecrets,
  type ClusterSecret,
  type KubeConfigSecretsOptions,
} from './kubeconfig-secrets.ts';
export { addClusterApi, type ClusterApiCluster, type ClusterApiOptions } from './cluster-api.ts';
export {
  addClusterProfiles,
  ClusterProfile,
  type AccessProvider,
  type ClusterProfilesOptions,
  type CredentialsPlugin,
  type ProfiledServer,
} from './cluster-profiles.ts';
export {
  addKubeConfigFolder,
  type KubeConfigFile,
  type KubeConfigFolderOptions,
} from './kubeconfig-folder.ts';
export {
  addClusters,
  type ChangedCluster,
  type ClusterChange,
  type IterableClustersOptions,
} from './clusters-of-iterable.ts';

// Options that providers share
export type { FleetManager, KubeConfigLimits, ProviderOptions } from './provider-options.ts';

// Errors
export { FleetError, fleetErrors, type FleetErrorCode } from './errors.ts';
