import {
  checkMethods,
  checkOptions,
  defineResource,
  isDeleting,
  objectKey,
  type ApiResource,
  type DeepReadonly,
  type KubernetesObject,
  type Persisted,
} from '@keelson/apimachinery';
import type { Cluster } from '@keelson/client';
import type { Controller } from '@keelson/manager';
import { FleetError } from './errors.ts';
import { labelsOf } from './labels-of.ts';
import { FleetMembers, loadMember, versionOf } from './fleet-members.ts';
import {
  checkProvider,
  requireSyncValue,
  type FleetManager,
  type ProviderOptions,
} from './provider-options.ts';

/** The server of a cluster as a ClusterProfile gives it: a `cluster` of a kubeconfig. */
export interface ProfiledServer {
  readonly server?: string;
  readonly 'certificate-authority-data'?: string;
  readonly 'tls-server-name'?: string;
  readonly 'proxy-url'?: string;
  readonly [member: string]: unknown;
}

/** A `ClusterProfile` of SIG Multicluster (KEP-4322), with the members that the provider reads. */
export interface ClusterProfile extends KubernetesObject {
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    /** How to reach the cluster (KEP-5339), by the name of the provider of its credentials. */
    readonly accessProviders?: readonly {
      readonly name: string;
      readonly cluster: ProfiledServer;
    }[];
  };
}

/** The plugin that obtains the credentials of an access provider, as `exec` of a kubeconfig. */
export interface CredentialsPlugin {
  readonly apiVersion?: string;
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  /** Default true: the plugin receives the server and the configuration of the profile. */
  readonly provideClusterInfo?: boolean;
}

/**
 * Obtains access to the clusters of one access provider: a credentials plugin, or a function that returns the cluster for
 * a profile and its server.
 */
export type AccessProvider =
  | CredentialsPlugin
  | ((
      profile: DeepReadonly<Persisted<ClusterProfile>>,
      server: DeepReadonly<ProfiledServer>,
    ) => Cluster | Promise<Cluster>);

/** Selects ClusterProfiles, and gives access to their clusters. */
export interface ClusterProfilesOptions extends ProviderOptions<
  DeepReadonly<Persisted<ClusterProfile>>
> {
  /**
   * The access providers by name. A cluster uses the first one in its status that is named here. Commands come from here
   * alone; a profile cannot name one.
   */
  readonly accessProviders: Readonly<Record<string, AccessProvider>>;
  /** The labels of the profiles, such as `x-k8s.io/cluster-manager=ocm`. Default: all. */
  readonly labelSelector?: string;
  /** The namespaces of the profiles. Default: those of the manager. */
  readonly namespaces?: readonly string[];
}

/** The token of the kind `ClusterProfile`. */
export const ClusterProfile: ApiResource<ClusterProfile> = defineResource<ClusterProfile>({
  group: 'multicluster.x-k8s.io',
  version: 'v1alpha1',
  kind: 'ClusterProfile',
  plural: 'clusterprofiles',
});

const optionNames = [
  'name',
  'accessProviders',
  'labelSelector',
  'namespaces',
  'clusterOptions',
] as const satisfies readonly (keyof ClusterProfilesOptions)[];

const WHERE = 'addClusterProfiles';

/**
 * Adds a cluster for each ClusterProfile, in every replica, under `namespace/name`: when its condition
 * `ControlPlaneHealthy` is true for the first time. Another server or other labels replace it, and the deletion of the
 * profile removes it. Returns the controller. Throws `INVALID_OPTION`.
 */
export function addClusterProfiles(
  manager: FleetManager,
  options: ClusterProfilesOptions,
): Controller {
  checkOptions(options, optionNames, WHERE);
  checkMethods(options.accessProviders, [], `${WHERE}.accessProviders`);
  checkProvider(manager, options, WHERE, ['clusterOptions']);
  const { name = 'fleet-cluster-profiles', accessProviders, labelSelector, namespaces } = options;
  const { clusterOptions = labelsOf } = options;
  const members = new FleetMembers(manager);
  return manager.addController({
    name,
    phase: 'always',
    concurrency: 16,
    for: {
      resource: ClusterProfile,
      ...(namespaces && { namespaces }),
      ...(labelSelector && { labelSelector }),
    },
    async reconcile(request, { cache, log }) {
      const profile = cache.get(ClusterProfile, request);
      const id = objectKey(request);
      if (profile === undefined || isDeleting(profile)) return members.delete(id, log);
      // A cluster that becomes unhealthy stays: its watches show whether it responds.
      if (!isHealthy(profile) && !members.has(id)) return;
      const access = accessOf(profile, accessProviders);
      const own = requireSyncValue(clusterOptions(profile), `${WHERE}.clusterOptions`);
      const load = () => access.load(id);
      const version = versionOf(access.provider, access.server, own);
      await members.set(id, { name: id, version, options: own, load }, log);
    },
  });
}

interface Access {
  readonly provider: string;
  readonly server: DeepReadonly<ProfiledServer>;
  load(id: string): Promise<Cluster>;
}

/** Selects the access provider of a profile. Throws `NO_ACCESS_PROVIDER`. */
function accessOf(
  profile: DeepReadonly<Persisted<ClusterProfile>>,
  providers: Readonly<Record<string, AccessProvider>>,
): Access {
  const { accessProviders = [] } = profile.status ?? {};
  for (const { name, cluster: server } of accessProviders) {
    const provider = Object.hasOwn(providers, name) ? providers[name] : undefined;
    if (provider === undefined) continue;
    if (typeof provider !== 'function') {
      return { provider: name, server, load: (id) => loadByPlugin(id, server, provider) };
    }
    return { provider: name, server, load: async () => provider(profile, server) };
  }
  const { namespace, name } = profile.metadata;
  const offered = accessProviders.map((one) => one.name);
  throw new FleetError('NO_ACCESS_PROVIDER', { namespace, name, offered });
}

/** Loads a cluster through a kubeconfig whose plugin comes from the options. */
function loadByPlugin(
  id: string,
  server: DeepReadonly<ProfiledServer>,
  plugin: CredentialsPlugin,
): Promise<Cluster> {
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    provideClusterInfo: true,
    interactiveMode: 'Never',
    ...plugin,
  };
  const kubeConfig = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': id,
    clusters: [{ name: id, cluster: server }],
    users: [{ name: id, user: { exec } }],
    contexts: [{ name: id, context: { cluster: id, user: id } }],
  });
  // Not `files`: a profile may name one of this machine as its certificate authority.
  return loadMember(id, { kubeConfig, allow: ['plugins'] });
}

function isHealthy({ status }: DeepReadonly<Persisted<ClusterProfile>>): boolean {
  return (status?.conditions ?? []).some(
    (one) => one.type === 'ControlPlaneHealthy' && one.status === 'True',
  );
}
