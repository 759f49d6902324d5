import { CliError } from '../../errors.ts';
import { readCluster, type ClusterOptions } from './cluster-definitions.ts';
import { download } from './download.ts';
import { readLocal } from './local-files.ts';
import { sourceFile, type SourceFile } from './source-file.ts';

const CLUSTER_PREFIX = 'cluster:';

/**
 * Reads the definitions of one source of the command line: a file, a folder, an `http(s)` URL, or `cluster:` with the
 * name of a definition or a group. Returns a result for each file of a folder, else one; a source that cannot be read, or has
 * no definition, is a result with its error.
 */
export async function readSource(
  source: string,
  options: ClusterOptions,
): Promise<readonly SourceFile[]> {
  const files = await read(source, options);
  const isEmpty = files.every((file) => 'definitions' in file && file.definitions.length === 0);
  if (!isEmpty) return files;
  return [{ source, error: new CliError('DEFINITIONS_NOT_FOUND', { source }) }];
}

async function read(source: string, options: ClusterOptions): Promise<readonly SourceFile[]> {
  if (source.startsWith(CLUSTER_PREFIX)) {
    const selection = source.slice(CLUSTER_PREFIX.length);
    return [await sourceFile(source, () => readCluster(selection, options))];
  }
  if (/^https?:\/\//i.test(source)) return [await sourceFile(source, () => download(source))];
  try {
    return await readLocal(source);
  } catch (error) {
    return [{ source, error }];
  }
}
