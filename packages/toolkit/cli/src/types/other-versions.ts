import { join } from 'node:path';
import { entriesOf } from '../output/output-folder.ts';
import type { GeneratedModule } from './code/generate-types.ts';

/**
 * Returns the paths of all versions of the kinds of the modules, in the folders of their groups. Files of kinds without a
 * module are left out, because another command may have written them.
 */
export async function otherVersions(
  folder: string,
  modules: readonly GeneratedModule[],
): Promise<readonly string[]> {
  const kinds = modules.map(({ path }) => path.split('/'));
  const paths: string[] = [];
  for (const group of new Set(kinds.map(([name = '']) => name))) {
    const files = new Set(kinds.filter(([name]) => name === group).map(([, , file]) => file));
    for (const version of await foldersIn(join(folder, group))) {
      paths.push(...[...files].map((file) => `${group}/${version}/${file}`));
    }
  }
  return paths.toSorted();
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await entriesOf(folder);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
