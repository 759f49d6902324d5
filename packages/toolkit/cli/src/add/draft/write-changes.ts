import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CliError } from '../../errors.ts';
import { makeFolder } from '../../output/make-folder.ts';
import { replaceFile } from '../../output/replace-file.ts';
import type { FileChange } from './project-draft.ts';

/**
 * Writes the files. Throws `FILE_EXISTS` before the first one if a file has changed since it was read, and `OUTPUT_FAILED` for
 * one that cannot be written: the earlier ones have their former text again then.
 */
export async function writeChanges(folder: string, changes: readonly FileChange[]): Promise<void> {
  for (const { path, before } of changes) {
    const file = join(folder, path);
    const present = await readFile(file, 'utf8').catch(() => undefined);
    if (present !== before) throw new CliError('FILE_EXISTS', { file });
  }
  for (const [at, { path, after }] of changes.entries()) {
    const file = join(folder, path);
    try {
      await makeFolder(dirname(file));
      await replaceFile(file, after);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      const left = await restore(folder, changes.slice(0, at));
      throw new CliError('OUTPUT_FAILED', { file, reason, ...left }, { cause });
    }
  }
}

/** Gives files their former text, and removes new ones. Returns the fact `written` with the files for which this fails, if any. */
async function restore(
  folder: string,
  changes: readonly FileChange[],
): Promise<{ readonly written?: string }> {
  const written: string[] = [];
  for (const { path, before } of changes) {
    const file = join(folder, path);
    try {
      await (before === undefined ? rm(file) : replaceFile(file, before));
    } catch {
      written.push(path);
    }
  }
  return written.length === 0 ? {} : { written: written.join(' ') };
}
