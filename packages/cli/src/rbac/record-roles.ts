import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join, relative } from 'node:path';
import type { RecordedRoles } from '@keelson/envtest';
import { CliError } from '../errors.ts';
import { runCommand } from './run-command.ts';

/** The recorded checks of a file, and its path below the folder. */
export interface ProjectRoles {
  readonly path: string;
  readonly recorded: RecordedRoles;
}

/**
 * Runs a command in a folder and returns the checks of roles that it recorded for files of that folder. Throws
 * `COMMAND_FAILED`, and `ROLES_NOT_RECORDED` without such a check.
 */
export async function recordRoles(
  folder: string,
  command: readonly string[],
): Promise<readonly ProjectRoles[]> {
  const { readRecordedRoles, recordRolesVariable } = await import('@keelson/envtest');
  const records = await mkdtemp(join(tmpdir(), 'keelson-rbac-'));
  try {
    await runCommand(command, { folder, variables: { [recordRolesVariable]: records } });
    return await ownRoles(folder, await readRecordedRoles(records));
  } finally {
    await rm(records, { recursive: true });
  }
}

/** Tests may also check files elsewhere, such as temporary ones. These are not written. */
async function ownRoles(
  folder: string,
  all: readonly RecordedRoles[],
): Promise<readonly ProjectRoles[]> {
  // A process sees its working directory without symbolic links.
  const folders = [folder, await realpath(folder)];
  const own = all.flatMap((recorded) => {
    const path = folders.map((one) => relative(one, recorded.file)).find(isBelow);
    return path === undefined ? [] : [{ path, recorded }];
  });
  if (own.length > 0) return own;
  const others = all.map(({ file }) => file).join(' ');
  throw new CliError('ROLES_NOT_RECORDED', { folder, others });
}

function isBelow(path: string): boolean {
  return path !== '' && path.split(/[\\/]/)[0] !== '..' && !isAbsolute(path);
}
