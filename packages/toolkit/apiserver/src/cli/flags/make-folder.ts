import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a folder, and up to two missing ones above it. `mkdir` of Node.js with `recursive` has no end where a file system refuses
 * new folders with ENOENT, as `/proc` does.
 */
export async function makeFolder(path: string): Promise<void> {
  const parent = dirname(path);
  for (const folder of [dirname(parent), parent, path]) {
    try {
      await mkdir(folder);
    } catch (error) {
      const found = await stat(folder).catch(() => undefined);
      if (found?.isDirectory() !== true) throw error;
    }
  }
}
