import {
  checkFunction,
  checkMethods,
  ignoreRejection,
  ignoreRejections,
  invalidOption,
  isPromised,
} from '@keelson/apimachinery';
import type { KubeConfigPower } from '@keelson/client';
import type { Manager } from '@keelson/manager';
import type { ClusterOptions } from '@keelson/manager/clusters';

/** The part of a manager that a provider of clusters uses. */
export type FleetManager = Pick<Manager, 'addController' | 'addCluster'>;

/** The options that all providers have. */
export interface ProviderOptions<Source> {
  /** The name of the controller that adds and removes the clusters. Each provider has a default. */
  readonly name?: string;
  /**
   * Returns the options of a cluster, such as its namespaces and labels. Default: the labels of the object that describes
   * it.
   */
  readonly clusterOptions?: (source: Source) => ClusterOptions;
}

/** The option of providers whose clusters come as kubeconfigs that other parties may have written. */
export interface KubeConfigLimits {
  /**
   * The powers of a kubeconfig over the process: to run `plugins`, and to read `files` of this machine. A kubeconfig that
   * needs more is refused. Default `[]`: the writers of the kubeconfig could otherwise run commands in this process.
   */
  readonly allow?: readonly KubeConfigPower[];
}

/** Throws `INVALID_OPTION` unless the value is a manager and the functions of the options are functions. */
export function checkProvider(
  manager: FleetManager,
  options: object,
  where: string,
  functions: readonly string[],
): void {
  checkMethods(manager, ['addController', 'addCluster'], `${where}.manager`);
  for (const [name, value] of Object.entries(options)) {
    if (functions.includes(name) && value !== undefined) checkFunction(value, `${where}.${name}`);
  }
  const { allow = [] } = options as KubeConfigLimits;
  if (Array.isArray(allow) && allow.every((one) => one === 'plugins' || one === 'files')) return;
  throw invalidOption(`${where}.allow`, 'must be a list of plugins and files');
}

/** Returns the result of a function of the options. Throws `INVALID_OPTION` for a promise, and ignores its rejection. */
export function requireSync<Result>(result: Result, option: string): Result {
  if (!isPromised(result)) return result;
  ignoreRejection(result);
  throw invalidOption(option, 'must return no promise');
}

/** Does the same for a value that is checked later. Until then nothing waits for the promises among its members. */
export function requireSyncValue<Result>(result: Result, option: string): Result {
  ignoreRejections(result);
  return requireSync(result, option);
}
