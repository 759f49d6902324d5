import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { builtin, type KubernetesObject } from '@keelson/apimachinery';
import { EnvtestError } from '../errors.ts';

const extensions = new Set(['.yaml', '.yml', '.json']);

/**
 * Reads the CustomResourceDefinitions of a YAML or JSON file, or of every such file in a folder (not in its
 * subfolders). Ignores documents of other kinds. Throws `CRDS_NOT_FOUND` if it finds none.
 */
export async function readCrds(path: string): Promise<KubernetesObject[]> {
  try {
    const files = await Promise.all((await filesOf(path)).map(readDefinitions));
    if (files.flat().length > 0) return files.flat();
  } catch (cause) {
    throw new EnvtestError('CRDS_NOT_FOUND', { path }, { cause });
  }
  throw new EnvtestError('CRDS_NOT_FOUND', { path });
}

async function filesOf(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const names = (await readdir(path)).filter((name) => extensions.has(extname(name)));
  return names.toSorted().map((name) => join(path, name));
}

async function readDefinitions(file: string): Promise<KubernetesObject[]> {
  const { loadAll, Schema, timestampTag, YAML11_SCHEMA } = await import('js-yaml');
  // kubectl reads YAML 1.1, in which 0644 is octal and y is true; timestamps stay strings, because JSON has none.
  const schema = new Schema(YAML11_SCHEMA.tags.filter((tag) => tag !== timestampTag));
  const documents = loadAll(await readFile(file, 'utf8'), { schema, filename: file });
  return documents.filter(isDefinition);
}

function isDefinition(document: unknown): document is KubernetesObject {
  const { group, kind } = builtin.CustomResourceDefinition;
  const { apiVersion, kind: found } = (document ?? {}) as KubernetesObject;
  return found === kind && apiVersion?.startsWith(`${group}/`) === true;
}
