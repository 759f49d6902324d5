import { posix } from 'node:path';
import { changePackage, withPath } from '../draft/package-members.ts';
import type { ProjectDraft } from '../draft/project-draft.ts';
import { codeFolder, importPath, kindExports, type ProjectKind } from '../kinds/project-kinds.ts';
import { policyCode, policyNames, policyTestCode } from './policy-code.ts';

/**
 * Adds an admission policy for a kind, its test and its path in `package.json`. Returns the path of its module if the project
 * has it already. Throws `FILE_EXISTS`.
 */
export async function addPolicy(
  draft: ProjectDraft,
  kind: ProjectKind,
): Promise<string | undefined> {
  const { name } = policyNames(kind);
  const folder = codeFolder(draft.project);
  const module = posix.join(folder, `${name}.ts`);
  if (draft.project.policies.includes(module)) return module;
  const names = await kindExports(draft, kind);
  await draft.create(module, policyCode(kind, importPath(module, kind.module), names));
  await draft.create(posix.join(folder, `${name}.test.ts`), policyTestCode(kind));
  await changePackage(draft, (keelson) => {
    keelson.policies = withPath(keelson.policies, module);
  });
  return undefined;
}
