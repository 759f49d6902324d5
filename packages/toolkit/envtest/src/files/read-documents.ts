import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';

const extensions = new Set(['.yaml', '.yml', '.json']);

/** Reads the documents of a YAML or JSON file, or of every such file in a folder (not in its subfolders). */
export async function readDocuments(path: string): Promise<unknown[]> {
  const documents = await Promise.all((await filesOf(path)).map(documentsOf));
  return documents.flat();
}

async function filesOf(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const names = (await readdir(path)).filter((name) => extensions.has(extname(name)));
  return names.toSorted().map((name) => join(path, name));
}

async function documentsOf(file: string): Promise<unknown[]> {
  const { loadAll, Schema, timestampTag, YAML11_SCHEMA } = await import('js-yaml');
  // kubectl reads YAML 1.1, in which 0644 is octal and y is true; timestamps stay strings, because JSON has none.
  const schema = new Schema(YAML11_SCHEMA.tags.filter((tag) => tag !== timestampTag));
  return loadAll(await readFile(file, 'utf8'), { schema, filename: file });
}
