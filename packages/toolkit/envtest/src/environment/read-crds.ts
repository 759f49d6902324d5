import { builtin, type KubernetesObject } from '@keelson/apimachinery';
import { EnvtestError } from '../errors.ts';
import { readDocuments } from '../files/read-documents.ts';

/**
 * Reads the CustomResourceDefinitions of a YAML or JSON file, or of every such file in a folder (not in its
 * subfolders). Ignores documents of other kinds. Throws `CRDS_NOT_FOUND` if it finds none.
 */
export async function readCrds(path: string): Promise<KubernetesObject[]> {
  const definitions = (await documentsOf(path)).filter(isDefinition);
  if (definitions.length > 0) return definitions;
  throw new EnvtestError('CRDS_NOT_FOUND', { path });
}

async function documentsOf(path: string): Promise<unknown[]> {
  try {
    return await readDocuments(path);
  } catch (cause) {
    throw new EnvtestError('CRDS_NOT_FOUND', { path }, { cause });
  }
}

function isDefinition(document: unknown): document is KubernetesObject {
  const { group, kind } = builtin.CustomResourceDefinition;
  const { apiVersion, kind: found } = (document ?? {}) as KubernetesObject;
  return found === kind && apiVersion?.startsWith(`${group}/`) === true;
}
