import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { checkOptions, invalidOption, parseDuration, type Duration } from '@keelson/apimachinery';
import type { Controller } from '@keelson/manager';
import { FleetMembers, loadMember, versionOf } from './fleet-members.ts';
import { FolderChanges } from './folder-changes.ts';
import {
  checkProvider,
  requireSyncValue,
  type FleetManager,
  type KubeConfigLimits,
  type ProviderOptions,
} from './provider-options.ts';

/** A file of the folder. */
export interface KubeConfigFile {
  /** The name of the file, such as `eu-west.yaml`. */
  readonly file: string;
}

/** Selects a folder of kubeconfigs, for example a volume of a Secret. */
export interface KubeConfigFolderOptions extends ProviderOptions<KubeConfigFile>, KubeConfigLimits {
  readonly folder: string;
  /** The time after which the folder is read again without a notification of the file system. Default `'10s'`. */
  readonly interval?: Duration;
}

const optionNames = [
  'name',
  'folder',
  'interval',
  'clusterOptions',
  'allow',
] as const satisfies readonly (keyof KubeConfigFolderOptions)[];

const WHERE = 'addKubeConfigFolder';

/**
 * Adds a cluster for each file of a folder, in every replica, under the name of the file without `.yaml`, `.yml`,
 * `.json`, `.conf` or `.kubeconfig`. Hidden files are left out. A changed file replaces its cluster, and one that is gone
 * removes it. A file that cannot be used leaves the former cluster in place, and is tried again with backoff. Returns the
 * controller. Throws `INVALID_OPTION`.
 *
 * @example
 * ```ts
 * import { createManager } from '@keelson/manager';
 * import { addKubeConfigFolder } from '@keelson/fleet';
 *
 * // Each file is a cluster of its name; a changed file replaces it.
 * addKubeConfigFolder(createManager(), { folder: '/etc/clusters', interval: '10s' });
 * ```
 */
export function addKubeConfigFolder(
  manager: FleetManager,
  options: KubeConfigFolderOptions,
): Controller<KubeConfigFile> {
  checkOptions(options, optionNames, WHERE);
  checkProvider(manager, options, WHERE, ['clusterOptions']);
  const { name = 'fleet-folder', folder, interval = '10s', allow = [] } = options;
  const { clusterOptions = () => ({}) } = options;
  if (typeof folder !== 'string' || folder === '') {
    throw invalidOption(`${WHERE}.folder`, 'must be the path of a folder');
  }
  const changes = new FolderChanges(folder, parseDuration(interval, `${WHERE}.interval`));
  const members = new FleetMembers(manager);
  return manager.addController({
    name,
    phase: 'always',
    concurrency: 16,
    sources: [{ name: 'folder', requests: (signal) => changes.read(signal) }],
    keyOf: ({ file }: KubeConfigFile) => file,
    async reconcile(request: KubeConfigFile, { log }) {
      const { file } = request;
      const kubeConfig = await contentOf(path.join(folder, file));
      if (kubeConfig === undefined) return members.delete(file, log);
      const cluster = file.replace(/\.(?:ya?ml|json|conf|kubeconfig)$/, '');
      const own = requireSyncValue(clusterOptions(request), `${WHERE}.clusterOptions`);
      const load = () => loadMember(cluster, { kubeConfig, allow });
      await members.set(
        file,
        { name: cluster, version: versionOf(kubeConfig, own), options: own, load },
        log,
      );
    },
  });
}

async function contentOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    // Not by its class: in tests, errors of Node.js come from another realm.
    if ((error as { readonly code?: unknown }).code === 'ENOENT') return undefined;
    throw error;
  }
}
