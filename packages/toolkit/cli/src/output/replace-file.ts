import { randomUUID } from 'node:crypto';
import { chmod, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Writes a file of an existing folder as a whole: a command that is killed, or a full disk, leaves the previous text. A symbolic
 * link to a file stays a link; one to a missing file becomes a file, because its target may be anywhere. `newMode` has the permissions of
 * a new file.
 */
export async function replaceFile(
  path: string,
  text: string | Iterable<string>,
  newMode = 0o666,
): Promise<void> {
  const target = await realpath(path).catch(() => path);
  // The name ends with no extension that a reader of the folder looks for.
  const temporary = join(dirname(target), `.${basename(target)}.${randomUUID()}`);
  try {
    await writeFile(temporary, text, { flag: 'wx', mode: newMode });
    const mode = await modeOf(target);
    if (mode !== undefined) await chmod(temporary, mode);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function modeOf(path: string): Promise<number | undefined> {
  const present = await stat(path).catch(() => undefined);
  return present && present.mode & 0o777;
}
