import { CliError } from '../../errors.ts';
import { loadDefinitions } from '../kind-modules.ts';
import { readProject } from '../project.ts';

/** The message of this program to `keelson dev`: the definitions of a project, or the text of an error. */
export type DefinitionsMessage =
  | { readonly definitions: Awaited<ReturnType<typeof loadDefinitions>> }
  | { readonly error: string };

// A process of its own, because Node.js keeps imported modules until its end.
const [, , folder = '.'] = process.argv;
process.send?.(await read(), undefined, undefined, () => process.disconnect());

async function read(): Promise<DefinitionsMessage> {
  try {
    return { definitions: await loadDefinitions(await readProject(folder)) };
  } catch (error) {
    // An uncaught error of a module is printed by Node.js, with the line of a syntax error.
    if (error instanceof CliError && error.code === 'MODULE_FAILED') throw error.cause;
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
