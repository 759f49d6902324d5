import { createReadStream, type Dirent } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CliError } from '../errors.ts';
import { Failures } from '../terminal/failures.ts';
import { boundedText } from './bounded-text.ts';
import { makeFolder } from './make-folder.ts';
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

/**
 * Compares the output folder with the files. Throws an `AggregateError` with an `OUTPUT_FOREIGN` for each file without the
 * mark, and an `OUTPUT_FAILED` for each one that cannot be read.
 */
export async function differencesOf(output: Output): Promise<readonly Difference[]> {
  const { folder, files, mark, mayBeStale } = output;
  const failures = new Failures();
  const differences: Difference[] = [];
  for (const { path, text } of files) {
    await failures.attempt(async () => {
      const present = await generatedText(join(folder, path), mark);
      if (present === undefined) differences.push({ path, state: 'missing' });
      else if (present !== text) differences.push({ path, state: 'outdated' });
    });
  }
  const expected = new Set(files.map(({ path }) => path));
  for (const path of mayBeStale) {
    if (expected.has(path)) continue;
    const present = await failures.attempt(() => readText(join(folder, path)));
    if (present !== undefined && hasMark(present, mark)) differences.push({ path, state: 'stale' });
  }
  failures.throwAny();
  return differences;
}

/**
 * Writes and removes the files of these differences. Returns those that it changed, and for each other file its
 * `OUTPUT_FAILED`.
 */
export async function update(
  output: Output,
  differences: readonly Difference[],
): Promise<{ readonly changed: readonly Difference[]; readonly failures: Failures }> {
  const texts = new Map(output.files.map(({ path, text }) => [path, text]));
  const changed: Difference[] = [];
  const failures = new Failures();
  // One error, not one for each file.
  if (texts.size > 0 && differences.length > 0) {
    await failures.attempt(() => attempt(output.folder, () => makeFolder(output.folder)));
  }
  if (!failures.isEmpty) return { changed, failures };
  for (const difference of differences) {
    const file = join(output.folder, difference.path);
    await failures.attempt(async () => {
      await attempt(file, () => change(file, texts.get(difference.path)));
      changed.push(difference);
    });
  }
  return { changed, failures };
}

/** Writes a file, or removes it if it has no text. */
async function change(file: string, text: string | undefined): Promise<void> {
  // Another process may have removed it meanwhile.
  if (text === undefined) return rm(file, { force: true });
  await makeFolder(dirname(file));
  await replaceFile(file, text);
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
  const text = await ifPresent(file, () => textOf(file));
  return text?.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
}

/** Reading a pipe or a device would wait, or never end. */
async function textOf(file: string): Promise<string> {
  if (!(await stat(file)).isFile()) throw new Error('not a file');
  return boundedText(createReadStream(file));
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
