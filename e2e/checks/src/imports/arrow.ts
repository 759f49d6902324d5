import { isBuiltin } from 'node:module';

import { packageNameOf, resolveImport } from '../sources/resolve-import.ts';
import { isTest } from '../sources/source-file.ts';
import type { Import, SourceModule } from '../sources/source-module.ts';
import type { PackageManifest, Workspace } from '../sources/workspace.ts';

/** The only module with a computed import: it loads modules of the user's project, which no package may list. */
export const kindModuleLoader = 'packages/toolkit/cli/src/project/kind-modules.ts';

/** The packages that each package of the workspace may import. */
export type ArrowTable = ReadonlyMap<string, readonly string[]>;

/**
 * Reads the table of packages in `docs/architecture.md`: the first column is a package, the last its permitted
 * imports.
 */
export function parseArrowTable(page: string): ArrowTable {
  const rows = page.matchAll(/^\| `((?:@keelson\/|create-)[a-z\d-]+)` \|.*\| ([^|]+) \|$/gm);
  return new Map([...rows].map(([, name = '', cell = '']) => [name, targetsOf(cell)]));
}

/** With `nothing` a package imports no other code at run time; with `no package` none of the workspace. */
function targetsOf(cell: string): string[] {
  return cell === 'nothing' ? [] : cell.split(', ').map((name) => `@keelson/${name}`);
}

/**
 * Finds imports of package sources that the table does not permit or the package.json does not list. Returns one
 * sentence for each. Tests may also import development dependencies.
 */
export function findForbiddenImports(workspace: Workspace, table: ArrowTable): string[] {
  return workspace.modules.flatMap((module) => {
    const owner = workspace.packages.find(({ folder }) => module.path.startsWith(`${folder}/`));
    return owner === undefined ? [] : problemsOf(module, owner, workspace, table);
  });
}

function problemsOf(
  module: SourceModule,
  owner: PackageManifest,
  workspace: Workspace,
  table: ArrowTable,
): string[] {
  const listed = listedFor(module, owner, workspace);
  const imports = module.imports.filter(
    ({ specifier }) => specifier !== undefined || module.path !== kindModuleLoader,
  );
  return imports.flatMap((one) => {
    const problem =
      one.specifier === undefined
        ? 'has a computed import'
        : one.specifier.startsWith('.')
          ? relativeProblem(module.path, one.specifier, owner)
          : (listProblem(one.specifier, listed) ?? arrowProblem(module.path, one, owner, table));
    return problem === undefined ? [] : [`${module.path} ${problem}`];
  });
}

/**
 * The packages that a module may import. Sources may import dependencies; tests and benchmarks also development
 * dependencies, those of the root, and their own package by its name.
 */
function listedFor(
  { path }: SourceModule,
  { name, folder, dependencies, devDependencies }: PackageManifest,
  { rootDevDependencies }: Workspace,
): readonly string[] {
  return isPublished(path, folder)
    ? dependencies
    : [name, ...dependencies, ...devDependencies, ...rootDevDependencies];
}

function relativeProblem(
  path: string,
  specifier: string,
  { folder }: PackageManifest,
): string | undefined {
  const target = resolveImport(path, specifier) ?? '';
  if (!target.startsWith(`${folder}/`)) return `reaches out of its package to ${target}`;
  return isPublished(path, folder) && isTest(target) ? `imports the test ${target}` : undefined;
}

function listProblem(specifier: string, listed: readonly string[]): string | undefined {
  const name = packageNameOf(specifier);
  if (isBuiltin(specifier) || listed.includes(name)) return undefined;
  return `imports ${name}, which its package.json does not list`;
}

function arrowProblem(
  path: string,
  { specifier = '', typeOnly }: Import,
  { name, folder }: PackageManifest,
  table: ArrowTable,
): string | undefined {
  if (!isPublished(path, folder)) return undefined;
  const allowed = table.get(name) ?? [];
  if (specifier.startsWith('@keelson/') && !allowed.includes(specifier)) {
    return `imports ${specifier}, an arrow that docs/architecture.md does not draw`;
  }
  return allowed.length === 0 && !typeOnly
    ? `imports ${specifier} at run time, and its package may import nothing`
    : undefined;
}

/** False for benchmarks and tests, which users do not install. */
function isPublished(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/src/`) && !isTest(path);
}
