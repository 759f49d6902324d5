import { readdirSync } from 'node:fs';
import { CreateError } from '../errors.ts';
import { writeFailed } from '../write-failed.ts';

/** Throws `FOLDER_NOT_EMPTY` unless the folder is missing or has only `.git`, and `WRITE_FAILED` for other paths. */
export function checkFolder(folder: string): void {
  const present = filesIn(folder).filter((name) => name !== '.git');
  if (present.length === 0) return;
  throw new CreateError('FOLDER_NOT_EMPTY', { folder, found: present.slice(0, 3).join(' ') });
}

/** Returns why a project cannot be written into the folder. */
export function folderProblem(folder: string): string | undefined {
  try {
    checkFolder(folder);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw writeFailed(folder, cause);
  }
}
