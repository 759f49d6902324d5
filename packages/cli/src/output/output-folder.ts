import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import type { Dirent } from 'node:fs';
import { dirname, join } from 'node:path';
import { CliError } from '../errors.ts';
import { replaceFile } from './replace-file.ts';

/** The files that a command generates in a folder. */
export interface Output {
  readonly folder: string;
  readonly files: readonly GeneratedFile[];
  /** The first words of each generated file. A file without them is never overwritten or removed. */
  readonly mark: string | RegExp;
  /** Paths below the folder that are stale if they are present, were generated, and are not among the files. */
  readonly mayBeStale: readonly string[];
}

/** A file of an output folder. */
export interface GeneratedFile {
  /** The path below the output folder. */
  readonly path: string;
  readonly text: string;
}

/** A file of the output folder that differs from what the command generates. */
export interface Difference {
  /** The path below the output folder. */
  readonly path: string;
  /** `missing` and `outdated` files are to be written, `stale` ones to be removed. */
  readonly state: 'missing' | 'outdated' | 'stale';
}

/** Compares the output folder with the files. Throws `OUTPUT_FOREIGN` for a file without the mark, and `OUTPUT_FAILED`. */
export async function differencesOf(output: Output): Promise<readonly Difference[]> {
  const { folder, files, mark, mayBeStale } = output;
  const differences: Difference[] = [];
  for (const { path, text } of files) {
    const present = await generatedText(join(folder, path), mark);
    if (present === undefined) differences.push({ path, state: 'missing' });
    else if (present !== text) differences.push({ path, state: 'outdated' });
  }
  const expected = new Set(files.map(({ path }) => path));
  for (const path of mayBeStale) {
    if (expected.has(path)) continue;
    const present = await readText(join(folder, path));
    if (present !== undefined && hasMark(present, mark)) differences.push({ path, state: 'stale' });
  }
  return differences;
}

/** Writes and removes the files of these differences. Throws `OUTPUT_FAILED`. */
export async function update(output: Output, differences: readonly Difference[]): Promise<void> {
  const texts = new Map(output.files.map(({ path, text }) => [path, text]));
  for (const { path } of differences) {
    const file = join(output.folder, path);
    const text = texts.get(path);
    await attempt(file, async () => {
      // Another process may have removed it meanwhile.
      if (text === undefined) return rm(file, { force: true });
      await mkdir(dirname(file), { recursive: true });
      await replaceFile(file, text);
    });
  }
}

/** Returns the entries of a folder; none if it is missing. Throws `OUTPUT_FAILED`. */
export async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  return (await ifPresent(folder, () => readdir(folder, { withFileTypes: true }))) ?? [];
}

async function generatedText(file: string, mark: string | RegExp): Promise<string | undefined> {
  const text = await readText(file);
  if (text === undefined || hasMark(text, mark)) return text;
  throw new CliError('OUTPUT_FOREIGN', { file });
}

function hasMark(text: string, mark: string | RegExp): boolean {
  return typeof mark === 'string' ? text.startsWith(mark) : mark.test(text);
}

/** Returns undefined for a missing file. Git may have changed the ends of the lines, an editor added a byte order mark. */
async function readText(file: string): Promise<string | undefined> {
  const text = await ifPresent(file, () => readFile(file, 'utf8'));
  return text?.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
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
