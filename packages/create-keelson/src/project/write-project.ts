import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CreateError } from '../errors.ts';
import type { Files } from '../template/template.ts';

/** Writes the files into a folder that is missing or empty, except for `.git`. Removes them if one fails. */
export async function writeProject(folder: string, files: Files): Promise<void> {
  await checkEmpty(folder);
  /** The topmost new folders, and the files in folders that existed. */
  const created: string[] = [];
  try {
    for (const [path, text] of files) {
      const file = join(folder, path);
      const made = await mkdir(dirname(file), { recursive: true });
      if (made !== undefined) created.push(made);
      await writeFile(file, text, { flag: 'wx' }); // fails for a file that another program has written meanwhile
      created.push(file);
    }
  } catch (cause) {
    await Promise.all(created.map((path) => rm(path, { recursive: true, force: true })));
    throw failure(folder, cause);
  }
}

async function checkEmpty(folder: string): Promise<void> {
  try {
    const present = (await readdir(folder)).filter((name) => name !== '.git');
    if (present.length === 0) return;
    throw new CreateError('FOLDER_NOT_EMPTY', { folder, found: present.slice(0, 3).join(' ') });
  } catch (error) {
    if (error instanceof CreateError) throw error;
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw failure(folder, error);
  }
}

function failure(folder: string, cause: unknown): CreateError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new CreateError('WRITE_FAILED', { folder, reason }, { cause });
}
