import { readdir } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import type { ProjectDraft } from '../draft/project-draft.ts';
import { SourceModule } from './source-module.ts';

/** A module of a project, with its path below the folder. */
export interface SourceFile {
  readonly path: string;
  readonly module: SourceModule;
}

/** Parses the program of a project and the modules that it imports by relative paths, in that order. */
export async function programFiles(draft: ProjectDraft): Promise<readonly SourceFile[]> {
  const found = new Map<string, SourceFile>();
  const waiting = [draft.project.main];
  for (const path of waiting) {
    if (found.has(path)) continue;
    const text = await draft.find(path);
    // The path of a compiled module has another ending; its source is not this file.
    if (text === undefined) continue;
    const module = SourceModule.parse(path, text);
    found.set(path, { path, module });
    waiting.push(...module.relativeImports.map((one) => posix.join(dirname(path), one)));
  }
  return [...found.values()];
}

/** Parses the test files below the folder of the program, sorted by path. */
export async function testFiles(draft: ProjectDraft): Promise<readonly SourceFile[]> {
  const folder = dirname(draft.project.main);
  const names = await readdir(join(draft.project.folder, folder), { recursive: true });
  const paths = names
    .map((name) => posix.join(folder, name.replaceAll('\\', '/')))
    .filter((path) => /\.(?:test|spec)\.[cm]?ts$/.test(path) && !path.includes('node_modules/'))
    .toSorted();
  const found: SourceFile[] = [];
  for (const path of paths) {
    found.push({ path, module: SourceModule.parse(path, await draft.read(path)) });
  }
  return found;
}
