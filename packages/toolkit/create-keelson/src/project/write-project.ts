import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkFolder } from '../choices/check-folder.ts';
import type { Files } from '../template/template.ts';
import { writeFailed } from '../write-failed.ts';
import { makeFolder } from './make-folder.ts';

/** Writes the files into a folder that is missing or empty, except for `.git`. Removes them if one fails. */
export async function writeProject(folder: string, files: Files): Promise<void> {
  checkFolder(folder);
  /** The topmost new folders, and the files in folders that existed. */
  const created: string[] = [];
  try {
    for (const [path, text] of files) {
      const file = join(folder, path);
      const made = await makeFolder(dirname(file));
      if (made !== undefined) created.push(made);
      await writeFile(file, text, { flag: 'wx' }); // fails for a file that another program has written meanwhile
      created.push(file);
    }
  } catch (cause) {
    await Promise.all(created.map((path) => rm(path, { recursive: true, force: true })));
    throw writeFailed(folder, cause);
  }
}
