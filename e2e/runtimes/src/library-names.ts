import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('../../../packages', import.meta.url));

/** Returns the names of the packages that a program installs and imports. `npm create` runs the one without a scope. */
export async function libraryNames(): Promise<string[]> {
  const folders = await readdir(packages);
  const names = folders.map(async (folder) => {
    const text = await readFile(join(packages, folder, 'package.json'), 'utf8');
    return (JSON.parse(text) as { readonly name: string }).name;
  });
  return (await Promise.all(names)).filter((name) => name.startsWith('@keelson/'));
}
