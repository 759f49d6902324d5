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
    return { error: textOf(error) };
  }
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? `\n${error.cause.stack ?? ''}` : '';
  return `${error.message}${cause}`;
}
