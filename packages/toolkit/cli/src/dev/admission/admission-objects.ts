import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { KubernetesObject } from '@keelson/apimachinery';
import { CliError } from '../../errors.ts';
import {
  runModuleProcess,
  type ModuleProcessOptions,
} from '../../project/definitions/module-process.ts';
import type { Project } from '../../project/project.ts';

const program = fileURLToPath(
  new URL(`./admission-main${extname(import.meta.url)}`, import.meta.url),
);

/** The webhooks and policies that a project declares. */
export interface AdmissionObjects {
  /** The configurations of its webhooks, as its manifests have them. */
  readonly configurations: readonly KubernetesObject[];
  /** Its policies and their bindings. */
  readonly policies: readonly KubernetesObject[];
}

/**
 * Imports the webhook and policy modules of a project in a process of their own, in their current state. Throws
 * `DEFINITIONS_FAILED`; the process printed the error of a module before.
 */
export async function admissionObjects(
  project: Project,
  options: ModuleProcessOptions,
): Promise<AdmissionObjects> {
  if (project.webhook === undefined && project.policies.length === 0) {
    return { configurations: [], policies: [] };
  }
  const result = await runModuleProcess(program, [project.folder], options);
  if ('end' in result) throw new CliError('DEFINITIONS_FAILED', { reason: result.end });
  return JSON.parse(result.modules) as AdmissionObjects;
}
