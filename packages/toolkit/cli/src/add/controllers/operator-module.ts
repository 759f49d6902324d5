import { CliError } from '../../errors.ts';
import type { ProjectDraft } from '../draft/project-draft.ts';
import { importPath } from '../kinds/project-kinds.ts';
import { programFiles } from '../source/source-files.ts';
import type { ControllerNames } from './controller-code.ts';

const wanted = 'one declaration "const manager = createManager(…)" in the program';

/**
 * Calls the function of a new controller where the program makes its manager. Returns the path of the module that has the
 * controller already, or undefined. Throws `PLACE_NOT_FOUND` unless one module makes one manager.
 */
export async function callInOperator(
  draft: ProjectDraft,
  { name, addFunction }: ControllerNames,
  controllerModule: string,
): Promise<string | undefined> {
  const files = await programFiles(draft);
  const present = files.find(
    ({ module }) => module.calls(addFunction) || module.namesController(name),
  );
  if (present !== undefined) return present.path;
  const places = files.flatMap(({ path, module }) =>
    module
      .declarationsOf((called) => called === 'createManager')
      .map((declaration) => ({ path, module, declaration })),
  );
  const [place] = places;
  if (place === undefined || places.length > 1) {
    const found = places.map(({ path }) => path).join(' ');
    throw new CliError('PLACE_NOT_FOUND', { file: draft.project.main, wanted, found });
  }
  const { path, module, declaration } = place;
  module.import(importPath(path, controllerModule), [addFunction]);
  module.insertBelow(declaration.statement, [`${addFunction}(${declaration.name});`]);
  draft.replace(path, module.text);
  return undefined;
}
