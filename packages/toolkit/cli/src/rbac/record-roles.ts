import { mkdtemp, readlink, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
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
    await rm(records, { recursive: true, force: true });
  }
}

/** Tests may also check files elsewhere, such as temporary ones. These are not written. */
async function ownRoles(
  folder: string,
  all: readonly RecordedRoles[],
): Promise<readonly ProjectRoles[]> {
  // A process sees its working directory without symbolic links.
  const real = await realpath(folder);
  const own: ProjectRoles[] = [];
  for (const recorded of all) {
    const path = [folder, real].map((one) => relative(one, recorded.file)).find(isBelow);
    const isOwn = path !== undefined && isBelow(relative(real, await targetOf(recorded.file)));
    if (isOwn) own.push({ path, recorded });
  }
  if (own.length > 0) return own;
  const others = all.map(({ file }) => file).join(' ');
  throw new CliError('ROLES_NOT_RECORDED', { folder, others });
}

/** As Linux counts. Links that point to each other have no target. */
const MAX_LINKS = 40;

/** Returns the path of a file without symbolic links; the file, or folders above it, may be missing. */
async function targetOf(file: string, links: number = MAX_LINKS): Promise<string> {
  const target = links > 0 ? await readlink(file).catch(() => undefined) : undefined;
  if (target !== undefined) return targetOf(resolve(dirname(file), target), links - 1);
  const folder = dirname(file);
  return folder === file ? file : join(await targetOf(folder, links), basename(file));
}

function isBelow(path: string): boolean {
  return path !== '' && path.split(/[\\/]/)[0] !== '..' && !isAbsolute(path);
}
