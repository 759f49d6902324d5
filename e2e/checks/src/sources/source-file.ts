import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file of the repository, with its path from the root, separated by `/`. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** The root folder of the repository. */
export const root: string = join(import.meta.dirname, '../../../..');

const leftOut: ReadonlySet<string> = new Set(['node_modules', 'dist', '.turbo']);

/**
 * Reads the files with some extensions below some folders of the repository, without build output and installed
 * packages. By default the TypeScript files.
 */
export function readSources(
  folders: readonly string[],
  extensions: readonly string[] = ['ts'],
): SourceFile[] {
  const paths = folders.flatMap((folder) => pathsBelow(folder));
  const isSource = (path: string): boolean =>
    extensions.some((extension) => path.endsWith(`.${extension}`)) && !path.endsWith('.d.ts');
  return paths.filter((path) => isSource(path)).map((path) => readSource(path));
}

/** Reads the Markdown pages below some folders; for `.` only the pages in the root folder itself. */
export function readPages(folders: readonly string[]): SourceFile[] {
  const paths = folders.flatMap((folder) =>
    folder === '.' ? readdirSync(root) : pathsBelow(folder),
  );
  return paths.filter((path) => path.endsWith('.md')).map((path) => readSource(path));
}

/** Reads one file by its path from the root. */
export function readSource(path: string): SourceFile {
  return { path, text: readFileSync(join(root, path), 'utf8') };
}

/** True for a test (`a.test.ts`, `a.e2e.ts`) and for a file that only tests import (`a.test-support.ts`). */
export function isTest(path: string): boolean {
  return /\.(?:test(?:-[a-z]+)?|e2e)\.ts$/.test(path);
}

function pathsBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return leftOut.has(entry.name) ? [] : pathsBelow(path);
    return [path];
  });
}
