import { resolve } from 'node:path';
import { CliError } from '../../errors.ts';
import type { SourceFile } from '../../types/sources/source-file.ts';
import { joinModules, type KindModule } from '../kind-modules.ts';
import { runDefinitionsProcess } from './definitions-process.ts';

/**
 * Imports kind modules in another process, and returns what `joinModules` does. A module that ends the process has the error
 * `MODULE_FAILED`; the others are then imported one by one.
 */
export async function importDefinitions(
  modules: readonly string[],
): Promise<readonly SourceFile[]> {
  return joinModules(await importModules(modules.map((path) => resolve(path))));
}

async function importModules(files: readonly string[]): Promise<readonly KindModule[]> {
  const result = await runDefinitionsProcess(files, {});
  if ('modules' in result) return result.modules;
  const [file = '', ...others] = files;
  if (others.length === 0) {
    return [{ file, error: new CliError('MODULE_FAILED', { file, reason: result.end }) }];
  }
  const found: KindModule[] = [];
  for (const each of files) found.push(...(await importModules([each])));
  return found;
}
