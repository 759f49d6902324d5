import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('../../../packages', import.meta.url));

/** Returns the names of the packages that a program installs and imports. `npm create` runs the one without a scope. */
export async function libraryNames(): Promise<string[]> {
  const manifests = globSync('*/*/package.json', { cwd: packages });
  const names = manifests.map(async (manifest) => {
    const text = await readFile(join(packages, manifest), 'utf8');
    return (JSON.parse(text) as { readonly name: string }).name;
  });
  return (await Promise.all(names)).filter((name) => name.startsWith('@keelson/'));
}
