import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CliError } from '../../errors.ts';
import type { KindModule } from '../kind-modules.ts';
import type { ModuleMessage } from './definitions-main.ts';
import { runModuleProcess, type ModuleProcessOptions } from './module-process.ts';

const program = fileURLToPath(
  new URL(`./definitions-main${extname(import.meta.url)}`, import.meta.url),
);

/** The process that imports the kind modules. */
export interface ProcessOptions extends ModuleProcessOptions {
  /** True to let Node.js print an error of a module itself, with its line and stack; `end` is then the result. */
  readonly printsErrors?: boolean;
}

/** The result of the process: the modules, or how it ended without them. */
export type ProcessResult = { readonly modules: readonly KindModule[] } | { readonly end: string };

/** Imports kind modules in a process of their own. */
export async function runDefinitionsProcess(
  files: readonly string[],
  { printsErrors = false, ...options }: ProcessOptions,
): Promise<ProcessResult> {
  const words = [printsErrors ? 'print' : 'report', ...files];
  const result = await runModuleProcess(program, words, options);
  if ('end' in result) return result;
  return { modules: (JSON.parse(result.modules) as ModuleMessage[]).map(moduleOf) };
}

function moduleOf(message: ModuleMessage): KindModule {
  if ('definitions' in message) return message;
  return { file: message.file, error: new CliError(message.code, message.facts) };
}
