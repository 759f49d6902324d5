import { randomUUID } from 'node:crypto';
import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises';

/**
 * Writes a file that only its owner can read. An existing file is replaced by a new one: it could be open in a process
 * of another user. A path that is not a regular file, such as a pipe, is written to directly.
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const existing = await stat(path).catch(() => undefined);
  if (existing !== undefined && !existing.isFile()) {
    await writeFile(path, text);
    return;
  }
  const target = existing === undefined ? path : await realpath(path);
  const temporary = `${target}.${randomUUID()}`;
  await writeFile(temporary, text, { mode: 0o600, flag: 'wx' });
  try {
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
