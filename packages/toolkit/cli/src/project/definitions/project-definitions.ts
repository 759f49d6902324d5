import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { thrownReason, type KubernetesObject } from '@keelson/apimachinery';
import { CliError } from '../../errors.ts';
import { joinModules } from '../kind-modules.ts';
import type { Project } from '../project.ts';
import { readLocal } from '../../types/sources/local-files.ts';
import { definitionsIn } from '../../types/sources/source-file.ts';
import { runDefinitionsProcess, type ProcessOptions } from './definitions-process.ts';

/**
 * Returns the definitions of a project: those of its kind modules in their current state, or without such modules those
 * of its folder of CRD files. Throws `DEFINITIONS_FAILED`, or the error of the folder.
 */
export async function projectDefinitions(
  project: Pick<Project, 'folder' | 'kinds' | 'crds'>,
  options: Omit<ProcessOptions, 'printsErrors'> = {},
): Promise<readonly KubernetesObject[]> {
  const { folder, kinds, crds } = project;
  if (kinds.length > 0) {
    return definitionsOfModules(
      kinds.map((path) => resolve(folder, path)),
      options,
    );
  }
  const files = join(folder, crds);
  if (!existsSync(files)) return [];
  return definitionsIn(await readLocal(files)) as KubernetesObject[];
}

async function definitionsOfModules(
  files: readonly string[],
  options: ProcessOptions,
): Promise<readonly KubernetesObject[]> {
  const result = await runDefinitionsProcess(files, { ...options, printsErrors: true });
  if ('end' in result) throw new CliError('DEFINITIONS_FAILED', { reason: result.end });
  const modules = joinModules(result.modules);
  const reasons = modules.flatMap((file) => ('error' in file ? [thrownReason(file.error)] : []));
  if (reasons.length > 0) throw new CliError('DEFINITIONS_FAILED', { reason: reasons.join('; ') });
  return definitionsIn(modules) as KubernetesObject[];
}
