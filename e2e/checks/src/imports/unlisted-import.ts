import { readdirSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';

import { packageNameOf } from '../sources/resolve-import.ts';
import { root } from '../sources/source-file.ts';
import type { SourceModule } from '../sources/source-module.ts';
import { readManifest, type Workspace } from '../sources/workspace.ts';

/** The folders of the workspaces, relative to the root. */
export function workspaceFolders(): string[] {
  return ['packages/runtime', 'packages/toolkit', 'examples', 'e2e'].flatMap((wing) =>
    readdirSync(join(root, wing), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${wing}/${name}`),
  );
}

/** Finds imports of packages that the importing workspace does not list, which the strict layout of pnpm does not find. */
export function findUnlistedImports({ modules, rootDevDependencies }: Workspace): string[] {
  return workspaceFolders().flatMap((folder) => {
    const { name, dependencies, devDependencies } = readManifest(folder);
    const listed = new Set([name, ...dependencies, ...devDependencies, ...rootDevDependencies]);
    return importsOf(modules, folder)
      .filter(({ specifier }) => !specifier.startsWith('.') && !isBuiltin(specifier))
      .filter(({ specifier }) => !listed.has(packageNameOf(specifier)))
      .map(({ path, specifier }) => `${path} imports ${specifier}`);
  });
}

/** Finds imports of examples from packages that users get with `@keelson/manager`. */
export function findInnerImports({ modules }: Workspace): string[] {
  return importsOf(modules, 'examples')
    .map(({ path, specifier }) => `${path} imports ${specifier}`)
    .filter((line) => /@keelson\/(?:apimachinery|client|informer|wire|workqueue)$/.test(line));
}

function importsOf(
  modules: readonly SourceModule[],
  folder: string,
): { readonly path: string; readonly specifier: string }[] {
  return modules
    .filter(({ path }) => path.startsWith(`${folder}/`))
    .flatMap(({ path, imports }) => imports.map(({ specifier = '.' }) => ({ path, specifier })));
}
