import { CliError } from '../../errors.ts';
import type { ProjectDraft } from '../draft/project-draft.ts';
import { importPath, type ProjectKind } from '../kinds/project-kinds.ts';
import type { SourceFile } from '../source/source-files.ts';
import { testFiles } from '../source/source-files.ts';
import { controllerTestLines } from './controller-code.ts';

const wanted = 'one test that calls checkRoles, in a file with a variable "client"';

/**
 * Adds the test of a controller to the file that compares the roles, above that comparison: the roles have to cover the
 * requests of this test too. Throws `PLACE_NOT_FOUND` unless one file of the project has such a test.
 */
export async function addControllerTest(
  draft: ProjectDraft,
  kind: ProjectKind,
  spec: object,
): Promise<void> {
  const files = (await testFiles(draft)).filter(({ module }) => module.calls('checkRoles'));
  const [file] = files;
  const place = file?.module.statements.find((statement) =>
    file.module.calls('checkRoles', [statement]),
  );
  if (file === undefined || place === undefined || files.length > 1 || !hasClient(file)) {
    const found = files.map(({ path }) => path).join(' ');
    throw new CliError('PLACE_NOT_FOUND', { wanted, found });
  }
  const { path, module } = file;
  module.import('@keelson/envtest', ['until']);
  module.import('@keelson/manager', ['isConditionTrue']);
  module.import(importPath(path, kind.module), [kind.kind]);
  module.insertAbove(place, controllerTestLines(kind, 'client', spec));
  draft.replace(path, module.text);
}

function hasClient({ module }: SourceFile): boolean {
  return module.boundNames.has('client');
}
