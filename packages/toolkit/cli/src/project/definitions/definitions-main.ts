import { setImmediate } from 'node:timers/promises';
import type { ErrorFacts } from '@keelson/apimachinery';
import { CliError, type CliErrorCode } from '../../errors.ts';
import { loadModules, type KindModule } from '../kind-modules.ts';
import type { ModulesMessage } from './module-process.ts';

/** A kind module, with its error as JSON. */
export type ModuleMessage =
  | Extract<KindModule, { readonly definitions: unknown }>
  | { readonly file: string; readonly code: CliErrorCode; readonly facts: ErrorFacts };

const [, , errors, ...files] = process.argv;
// The command was killed, and the import may never end.
process.on('disconnect', () => process.exit());
// The listener keeps the process running, also after an import that never settles.
process.channel?.unref();
const message = await read();
// A rejection that a module did not handle ends the process in this turn.
await setImmediate();
// Exits, because a module may have started timers or servers.
process.send?.(message, undefined, undefined, () => process.exit());

/** The message of this program has the JSON of `ModuleMessage[]`. */
async function read(): Promise<ModulesMessage> {
  const modules = await loadModules(files);
  return { modules: JSON.stringify(modules.map(messageOf)) };
}

function messageOf(module: KindModule): ModuleMessage {
  if (!('error' in module)) return module;
  const { file, error } = module;
  if (!(error instanceof CliError)) throw error;
  // An uncaught error of a module is printed by Node.js, with the line of a syntax error.
  if (errors === 'print' && error.code === 'MODULE_FAILED') throw error.cause;
  return { file, code: error.code, facts: error.facts };
}
