import { homedir } from 'node:os';
import { join } from 'node:path';
import { checkOptions, invalidOption, parseDuration, type Duration } from '@keelson/apimachinery';

/** The controllers of kube-controller-manager that tests can ask for. */
export const controlPlaneControllers = [
  'cluster-role-aggregation',
  'garbage-collector',
  'namespace',
  'resource-quota',
  'storage-protection',
] as const;

export type ControlPlaneController = (typeof controlPlaneControllers)[number];

/** What a test environment is made from. */
export interface TestEnvironmentOptions {
  /**
   * `memory`: `@keelson/apiserver` in this process. `binaries`: etcd and kube-apiserver as child
   * processes. `kubeconfig`: a cluster that is there. `auto` (default): `binaries` where a folder with
   * them is known, else `memory`.
   */
  readonly use?: 'auto' | 'memory' | 'binaries' | 'kubeconfig';
  /** The folder of etcd and kube-apiserver. Default: the environment's `KUBEBUILDER_ASSETS`. */
  readonly assets?: string;
  /** A kubeconfig file. Default: the environment's `KUBECONFIG`, else `~/.kube/config`. Only for `kubeconfig`. */
  readonly kubeconfig?: string;
  /**
   * Controllers that run beside the API server, the same in memory and with binaries. Default none, as kube-apiserver
   * alone has none: without `garbage-collector` dependents stay, without `namespace` a deleted namespace does. With
   * binaries they need `kube-controller-manager`, which setup-envtest does not install. A cluster has its own.
   */
  readonly controllers?: readonly ControlPlaneController[];
  /** Feature gates of kube-apiserver by name. Only for `binaries`. */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** Further flags of kube-apiserver, after our own: `['--v=4']`. Only for `binaries`. */
  readonly apiServerFlags?: readonly string[];
  /** The port of the API server; 0 (default) takes a free one. */
  readonly port?: number;
  /** How long the control plane may take until it is ready. Default 60 s. */
  readonly startTimeout?: Duration;
  /** How long `installCrds` and `uninstallCrds` wait for definitions. Default 10 s. */
  readonly crdTimeout?: Duration;
  /** How long its processes may take to end before they are killed. Default 10 s. */
  readonly stopTimeout?: Duration;
  /** Where `KUBEBUILDER_ASSETS` and `KUBECONFIG` are read. Default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The options with their defaults; durations in ms. */
export interface ResolvedOptions {
  readonly use: 'memory' | 'binaries' | 'kubeconfig';
  readonly assets: string | undefined;
  readonly kubeconfig: string;
  readonly controllers: readonly ControlPlaneController[];
  readonly featureGates: Readonly<Record<string, boolean>>;
  readonly apiServerFlags: readonly string[];
  readonly port: number;
  readonly crdTimeout: number;
  readonly startTimeout: number;
  readonly stopTimeout: number;
}

const where = 'createTestEnvironment';
const known = [
  'use',
  'assets',
  'kubeconfig',
  'controllers',
  'featureGates',
  'apiServerFlags',
  'port',
  'crdTimeout',
  'startTimeout',
  'stopTimeout',
  'env',
] as const;
const uses = ['auto', 'memory', 'binaries', 'kubeconfig'] as const;

/** Checks the options. Throws `INVALID_OPTION` with the option's name. */
export function resolveOptions(options: TestEnvironmentOptions): ResolvedOptions {
  checkOptions(options, known, where);
  const { use = 'auto', controllers = [], port = 0, env = process.env } = options;
  const { apiServerFlags = [] } = options;
  if (!apiServerFlags.every((flag) => flag.startsWith('--'))) {
    throw invalidOption(`${where}.apiServerFlags`, 'must be flags such as --v=4');
  }
  if (!uses.includes(use)) throw invalidOption(`${where}.use`, `must be one of ${uses.join(', ')}`);
  if (!controllers.every((name) => controlPlaneControllers.includes(name))) {
    throw invalidOption(
      `${where}.controllers`,
      `must be names out of ${controlPlaneControllers.join(', ')}`,
    );
  }
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw invalidOption(`${where}.port`, 'must be a number from 0 to 65535');
  }
  const assets = options.assets ?? env.KUBEBUILDER_ASSETS;
  return {
    use: use === 'auto' ? (assets === undefined ? 'memory' : 'binaries') : use,
    assets,
    kubeconfig: options.kubeconfig ?? env.KUBECONFIG ?? join(homedir(), '.kube', 'config'),
    controllers,
    featureGates: options.featureGates ?? {},
    apiServerFlags,
    port,
    crdTimeout: parseDuration(options.crdTimeout ?? '10s', `${where}.crdTimeout`),
    startTimeout: parseDuration(options.startTimeout ?? '60s', `${where}.startTimeout`),
    stopTimeout: parseDuration(options.stopTimeout ?? '10s', `${where}.stopTimeout`),
  };
}
