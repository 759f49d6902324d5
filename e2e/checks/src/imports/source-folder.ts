import { posix } from 'node:path';

import { resolveImport } from '../sources/resolve-import.ts';
import { isTest } from '../sources/source-file.ts';
import type { SourceModule } from '../sources/source-module.ts';
import type { Workspace } from '../sources/workspace.ts';

/**
 * Finds cycles of imports between the folders of one package. Returns one sentence for each pair of folders. A
 * folder and its subfolder are different folders. Type imports count; tests and `src/index.ts` do not.
 */
export function findFolderCycles({
  modules,
  packages,
}: Pick<Workspace, 'modules' | 'packages'>): string[] {
  return packages.flatMap(({ folder }) => {
    const own = modules.filter(
      ({ path }) => path.startsWith(`${folder}/src/`) && path !== `${folder}/src/index.ts`,
    );
    const imports = folderImports(own);
    return imports.filter((one) => reaches(imports, one.to, one.from)).map(printed);
  });
}

interface FolderImport {
  readonly from: string;
  readonly to: string;
  /** One file and a file that it imports. */
  readonly example: string;
}

/** Returns one import for each pair of folders. */
function folderImports(modules: readonly SourceModule[]): FolderImport[] {
  const found = new Map<string, FolderImport>();
  for (const { path, imports } of modules.filter((module) => isPackageSource(module.path))) {
    for (const { specifier = '' } of imports) {
      const target = resolveImport(path, specifier);
      const from = posix.dirname(path);
      const to = target === undefined ? from : posix.dirname(target);
      const pair = `${from} ${to}`;
      if (from === to || found.has(pair)) continue;
      found.set(pair, { from, to, example: `${path} imports ${target}` });
    }
  }
  return [...found.values()];
}

function reaches(imports: readonly FolderImport[], start: string, goal: string): boolean {
  const reached = new Set([start]);
  for (const folder of reached) {
    for (const { from, to } of imports) if (from === folder) reached.add(to);
  }
  return reached.has(goal);
}

function printed({ from, to, example }: FolderImport): string {
  return `${from} imports ${to} on a cycle: ${example}`;
}

function isPackageSource(path: string): boolean {
  return /^packages\/(?:[^/]+\/)+?src\//.test(path) && !isTest(path);
}
