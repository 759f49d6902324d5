import { dirname, join, relative, sep } from 'node:path';
import type { Project } from '../../project/project.ts';

/**
 * Returns the absolute paths of a project whose changes restart the program: the folders of the program and of the kind,
 * policy and webhook modules, `package.json`, and the folder of CRD files if there are no kind modules.
 */
export function watchedPaths(
  project: Pick<Project, 'folder' | 'main' | 'kinds' | 'policies' | 'crds' | 'webhook'>,
): readonly string[] {
  const { folder, main, kinds, policies, crds, webhook } = project;
  const modules = [main, ...kinds, ...policies, ...(webhook?.modules ?? [])];
  const folders = modules.map((module) => dirname(module));
  const definitions = kinds.length === 0 ? [crds] : [];
  return [...new Set([...folders, ...definitions, 'package.json'])].map((path) =>
    join(folder, path),
  );
}

const ignoredFolders: ReadonlySet<string> = new Set(['node_modules', 'dist', 'coverage']);

/**
 * True for a path whose changes count: one of `paths`, a path below it, or a folder above it, which may be created later.
 * Dependencies, output of a build, tests, and names that begin with a dot or end as the temporary files of editors
 * do not count.
 */
export function isWatched(folder: string, paths: readonly string[], path: string): boolean {
  const isRelated = paths.some((each) => isWithin(each, path) || isWithin(path, each));
  return isRelated && !relative(folder, path).split(sep).some(isIgnoredName);
}

function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function isIgnoredName(name: string): boolean {
  return (
    name.startsWith('.') ||
    name.endsWith('~') ||
    ignoredFolders.has(name) ||
    /\.(?:test|spec|node-test)\.[cm]?[jt]sx?$/.test(name)
  );
}
