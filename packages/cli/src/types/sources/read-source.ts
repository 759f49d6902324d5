import { CliError } from '../../errors.ts';
import { readCluster, type ClusterOptions } from './cluster-definitions.ts';
import { download } from './download.ts';
import { readLocal } from './local-files.ts';

const CLUSTER_PREFIX = 'cluster:';

/**
 * Reads the definitions of one source of the command line: a file, a folder, an `http(s)` URL, or `cluster:` with the
 * name of a definition or a group. Throws `DEFINITIONS_NOT_FOUND` if it has none.
 */
export async function readSource(
  source: string,
  options: ClusterOptions,
): Promise<readonly unknown[]> {
  const definitions = await read(source, options);
  if (definitions.length === 0) throw new CliError('DEFINITIONS_NOT_FOUND', { source });
  return definitions;
}

async function read(source: string, options: ClusterOptions): Promise<readonly unknown[]> {
  if (source.startsWith(CLUSTER_PREFIX)) {
    return readCluster(source.slice(CLUSTER_PREFIX.length), options);
  }
  return /^https?:\/\//i.test(source) ? download(source) : readLocal(source);
}
