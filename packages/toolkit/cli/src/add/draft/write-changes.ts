import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CliError } from '../../errors.ts';
import { makeFolder } from '../../output/make-folder.ts';
import { replaceFile } from '../../output/replace-file.ts';
import type { FileChange } from './project-draft.ts';

/**
 * Writes the files. Throws `FILE_EXISTS` before the first one if a file has changed since it was read, and `OUTPUT_FAILED` for
 * one that cannot be written.
 */
export async function writeChanges(folder: string, changes: readonly FileChange[]): Promise<void> {
  for (const { path, before } of changes) {
    const file = join(folder, path);
    const present = await readFile(file, 'utf8').catch(() => undefined);
    if (present !== before) throw new CliError('FILE_EXISTS', { file });
  }
  for (const { path, after } of changes) {
    const file = join(folder, path);
    try {
      await makeFolder(dirname(file));
      await replaceFile(file, after);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new CliError('OUTPUT_FAILED', { file, reason }, { cause });
    }
  }
}
