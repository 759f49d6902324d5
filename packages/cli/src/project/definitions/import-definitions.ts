import { resolve } from 'node:path';
import { CliError } from '../../errors.ts';
import type { loadDefinitions } from '../kind-modules.ts';
import { runDefinitionsProcess } from './definitions-process.ts';

/**
 * Returns what `loadDefinitions` returns, and throws its errors, but imports the modules in another process. Throws
 * `MODULE_FAILED` if a module ends that process.
 */
export async function importDefinitions(
  modules: readonly string[],
): ReturnType<typeof loadDefinitions> {
  const files = modules.map((path) => resolve(path));
  const result = await runDefinitionsProcess(files, {});
  if ('definitions' in result) return result.definitions;
  if ('error' in result) throw new CliError(result.error.code, result.error.facts);
  throw new CliError('MODULE_FAILED', { file: files.join(' '), reason: result.end });
}
