import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { EnvtestError } from '../errors.ts';
import type { NeededPermissions } from '../permissions/check-roles.ts';
import { compareTexts } from '../permissions/permission.ts';
import type { RolesSource } from '../permissions/read-roles.ts';
import { RecordedRoles } from './recorded-roles.ts';

/** The format of the records; a reader of another version refuses them. */
const FORMAT = 1;

/** Returns the path of the only file that a check names; undefined for several sources and for objects. */
export function recordableFile(roles: RolesSource | readonly RolesSource[]): string | undefined {
  const [source, ...others] = [roles].flat() as readonly RolesSource[];
  return typeof source === 'string' && others.length === 0 ? resolve(source) : undefined;
}

/** Writes what a check of a file would compare into a file of its own, since test processes run in parallel. */
export async function writeRoleRecord(
  folder: string,
  file: string,
  needed: NeededPermissions,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const text = JSON.stringify({ format: FORMAT, file, needed });
  await writeFile(join(folder, `${randomUUID()}.json`), text, { flag: 'wx' });
}

/**
 * Reads the records that `checkRoles` wrote into a folder, and merges those of the same file. The order is that of the
 * paths. Throws `ROLE_RECORD_INVALID` for a record of another version of this package.
 */
export async function readRecordedRoles(folder: string): Promise<readonly RecordedRoles[]> {
  const byFile = new Map<string, NeededPermissions[]>();
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  const records = await Promise.all(names.map((name) => readRecord(join(folder, name))));
  // The names of the records are random.
  const sorted = records.toSorted((one, other) => compareTexts(one.order, other.order));
  for (const { file, needed } of sorted) byFile.set(file, [...(byFile.get(file) ?? []), needed]);
  return [...byFile].map(([file, all]) => new RecordedRoles(file, all));
}

interface RoleRecord {
  readonly file: string;
  readonly needed: NeededPermissions;
  readonly order: string;
}

async function readRecord(path: string): Promise<RoleRecord> {
  const text = await readFile(path, 'utf8');
  let record: Partial<RoleRecord & { readonly format: unknown }> | null;
  try {
    record = JSON.parse(text) as typeof record;
  } catch (cause) {
    throw new EnvtestError('ROLE_RECORD_INVALID', { record: path }, { cause });
  }
  const { format, file, needed } = record ?? {};
  if (format !== FORMAT || file === undefined || needed === undefined) {
    throw new EnvtestError('ROLE_RECORD_INVALID', { record: path, format });
  }
  return { file, needed, order: `${file}\0${text}` };
}
