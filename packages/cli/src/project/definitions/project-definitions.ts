import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { KubernetesObject } from '@keelson/apimachinery';
import { CliError } from '../../errors.ts';
import type { Project } from '../project.ts';
import { readLocal } from '../../types/sources/local-files.ts';
import type { DefinitionsMessage } from './definitions-main.ts';
import { inheritedOptions } from './inherited-options.ts';

const program = fileURLToPath(
  new URL(`./definitions-main${extname(import.meta.url)}`, import.meta.url),
);

/** The process that imports the kind modules. */
export interface ProcessOptions {
  /** Default: the environment of this process. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** Kills the process. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns the definitions of a project: those of its kind modules in their current state, or without such modules those
 * of its folder of CRD files. Throws `DEFINITIONS_FAILED`, or the error of the folder.
 */
export async function projectDefinitions(
  project: Pick<Project, 'folder' | 'kinds' | 'crds'>,
  options: ProcessOptions = {},
): Promise<readonly KubernetesObject[]> {
  if (project.kinds.length > 0) return definitionsOfModules(project.folder, options);
  const folder = join(project.folder, project.crds);
  return existsSync(folder) ? ((await readLocal(folder)) as KubernetesObject[]) : [];
}

async function definitionsOfModules(
  folder: string,
  { env, signal }: ProcessOptions,
): Promise<readonly KubernetesObject[]> {
  const child = spawn(process.execPath, [...inheritedOptions(), program, folder], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env,
    killSignal: 'SIGKILL',
    signal,
  });
  let message: DefinitionsMessage | undefined;
  child.on('message', (received: DefinitionsMessage) => {
    message = received;
  });
  const [code, killedBy] = (await once(child, 'close')) as [number | null, string | null];
  if (message !== undefined && 'definitions' in message) return message.definitions;
  const reason = message?.error ?? `the process ended with ${killedBy ?? `code ${code}`}`;
  throw new CliError('DEFINITIONS_FAILED', { reason });
}
