import { resolveImport } from '../sources/resolve-import.ts';
import type { Workspace } from '../sources/workspace.ts';

/**
 * Finds the import cycles of the workspace; type imports count. Returns the paths of each cycle, one for each
 * import that closes a cycle. The search is depth-first and remembers the modules on its current path.
 */
export function findImportCycles({
  modules,
  packages,
}: Pick<Workspace, 'modules' | 'packages'>): string[][] {
  const byPath = new Map(modules.map((module) => [module.path, module]));
  const finished = new Set<string>();
  const cycles: string[][] = [];

  function enter(path: string, trail: readonly string[]): void {
    const start = trail.indexOf(path);
    if (start >= 0) {
      cycles.push([...trail.slice(start), path]);
      return;
    }
    const module = byPath.get(path);
    if (module === undefined || finished.has(path)) return;
    for (const { specifier } of module.imports) {
      const target = specifier && resolveImport(path, specifier, packages);
      if (target) enter(target, [...trail, path]);
    }
    finished.add(path);
  }

  for (const { path } of modules) enter(path, []);
  return cycles;
}
