import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a folder and the missing ones above it, and returns the topmost new one. `mkdir` of Node.js with `recursive`
 * repeats itself without an end where the parent exists and refuses new folders with ENOENT, as `/proc` does. The same
 * as in @keelson/cli, which this package cannot import.
 */
export async function makeFolder(path: string): Promise<string | undefined> {
  try {
    await mkdir(path);
    return path;
  } catch (error) {
    if (await isFolder(path)) return undefined;
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error;
    const made = (await isFolder(parent)) ? undefined : await makeFolder(parent);
    const own = await makeMissing(path);
    return made ?? own;
  }
}

/** Creates a folder whose parent exists; another call may have created the parent, or the folder, meanwhile. */
async function makeMissing(path: string): Promise<string | undefined> {
  try {
    await mkdir(path);
    return path;
  } catch (error) {
    if (!(await isFolder(path))) throw error;
    return undefined;
  }
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() === true;
}
