import { posix } from 'node:path';
import { CliError } from '../../errors.ts';
import type { ProjectDraft } from '../draft/project-draft.ts';
import { codeFolder, importPath, kindExports, type ProjectKind } from '../kinds/project-kinds.ts';
import { controllerCode, controllerNames } from './controller-code.ts';
import { grantRules } from './grant-rules.ts';
import { callInOperator } from './operator-module.ts';
import { addControllerTest } from './role-test.ts';

/**
 * Adds the controller of a kind, its call in the operator, its test and its permissions. `spec` is that of the object in the test.
 * Returns the path of the module that has the controller already, or undefined. Throws `PLACE_NOT_FOUND` and `FILE_EXISTS`.
 */
export async function addController(
  draft: ProjectDraft,
  kind: ProjectKind,
  spec: () => Promise<object>,
): Promise<string | undefined> {
  const names = controllerNames(kind);
  const module = posix.join(codeFolder(draft.project), `${names.name}-controller.ts`);
  const present = await callInOperator(draft, names, module);
  if (present !== undefined) return present;
  await kindExports(draft, kind);
  refuseWithoutConditions(kind);
  await draft.create(module, controllerCode(kind, importPath(module, kind.module)));
  await addControllerTest(draft, kind, await spec());
  await grantRules(draft, kind);
  return undefined;
}

/** The generated controller reports in the condition `Ready`. */
function refuseWithoutConditions({ kind, module, versions }: ProjectKind): void {
  const [first] = versions;
  const conditions = ['properties', 'status', 'properties', 'conditions'].reduce<unknown>(
    (value, name) => (value as Record<string, unknown> | undefined)?.[name],
    first?.schema,
  );
  if (conditions !== undefined) return;
  throw new CliError('PLACE_NOT_FOUND', { file: module, kind, wanted: 'status.conditions' });
}
