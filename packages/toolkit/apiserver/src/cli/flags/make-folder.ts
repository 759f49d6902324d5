import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a folder and the missing ones above it. `mkdir` of Node.js with `recursive` repeats itself without an end where
 * the parent exists and refuses new folders with ENOENT, as `/proc` does.
 */
export async function makeFolder(
  path: string,
  options: { readonly mode?: number } = {},
): Promise<void> {
  try {
    await mkdir(path, options);
  } catch (error) {
    if (await isFolder(path)) return;
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error;
    if (!(await isFolder(parent))) await makeFolder(parent, options);
    await makeMissing(path, options);
  }
}

/** Creates a folder whose parent exists; another call may have created the parent, or the folder, meanwhile. */
async function makeMissing(path: string, options: { readonly mode?: number }): Promise<void> {
  try {
    await mkdir(path, options);
  } catch (error) {
    if (!(await isFolder(path))) throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() === true;
}
