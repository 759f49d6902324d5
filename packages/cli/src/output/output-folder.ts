import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CliError } from '../errors.ts';
import { generatedMark } from './code/kind-module.ts';
import type { GeneratedModule } from './code/generate-types.ts';

/** A file of the output folder that differs from the definitions. */
export interface Difference {
  /** The path below the output folder. */
  readonly path: string;
  /** `missing` and `outdated` files are to be written, `stale` ones to be removed. */
  readonly state: 'missing' | 'outdated' | 'stale';
}

/**
 * Compares the output folder with the modules. A file is stale if its version is not served any more; files of kinds
 * without a module are ignored, because another command may have written them. Throws `OUTPUT_FOREIGN` for a file that
 * was not generated, and `OUTPUT_FAILED`.
 */
export async function differencesOf(
  folder: string,
  modules: readonly GeneratedModule[],
): Promise<readonly Difference[]> {
  const differences: Difference[] = [];
  for (const { path, code } of modules) {
    const present = await generatedText(join(folder, path));
    if (present === undefined) differences.push({ path, state: 'missing' });
    else if (present !== code) differences.push({ path, state: 'outdated' });
  }
  const expected = new Set(modules.map(({ path }) => path));
  for (const path of await otherVersions(folder, modules)) {
    const isGenerated = (await readText(join(folder, path)))?.startsWith(generatedMark) === true;
    if (!expected.has(path) && isGenerated) differences.push({ path, state: 'stale' });
  }
  return differences;
}

/** Writes and removes the files of these differences. Throws `OUTPUT_FAILED`. */
export async function update(
  folder: string,
  modules: readonly GeneratedModule[],
  differences: readonly Difference[],
): Promise<void> {
  const codes = new Map(modules.map(({ path, code }) => [path, code]));
  for (const { path } of differences) {
    const file = join(folder, path);
    const code = codes.get(path);
    await attempt(file, async () => {
      if (code === undefined) return rm(file);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, code);
    });
  }
}

/** Returns the paths of all versions of the kinds of the modules, in the folders of their groups. */
async function otherVersions(
  folder: string,
  modules: readonly GeneratedModule[],
): Promise<readonly string[]> {
  const kinds = modules.map(({ path }) => path.split('/'));
  const paths: string[] = [];
  for (const group of new Set(kinds.map(([name = '']) => name))) {
    const files = new Set(kinds.filter(([name]) => name === group).map(([, , file]) => file));
    for (const version of await foldersIn(join(folder, group))) {
      paths.push(...[...files].map((file) => `${group}/${version}/${file}`));
    }
  }
  return paths.toSorted();
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await ifPresent(folder, () => readdir(folder, { withFileTypes: true }));
  return (entries ?? []).filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

async function generatedText(file: string): Promise<string | undefined> {
  const text = await readText(file);
  if (text?.startsWith(generatedMark) === false) throw new CliError('OUTPUT_FOREIGN', { file });
  return text;
}

/** Returns undefined for a missing file. Git may have changed the ends of the lines. */
async function readText(file: string): Promise<string | undefined> {
  const text = await ifPresent(file, () => readFile(file, 'utf8'));
  return text?.replaceAll('\r\n', '\n');
}

/** Returns undefined if the file or folder is missing. */
async function ifPresent<T>(file: string, read: () => Promise<T>): Promise<T | undefined> {
  return attempt(file, async () => {
    try {
      return await read();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  });
}

async function attempt<T>(file: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CliError('OUTPUT_FAILED', { file, reason }, { cause });
  }
}
