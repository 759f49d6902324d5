import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { checkChoices } from '../choices/check-choices.ts';
import type { Choices } from '../choices/choices.ts';
import { CreateError } from '../errors.ts';
import type { Files } from '../template/template.ts';

/** The file of a project with its record. */
export const RECORD_FILE = '.create-keelson.json';

/** How a project was written, for updates. */
export interface TemplateRecord {
  /** The version of create-keelson. */
  readonly version: string;
  readonly choices: Choices;
  /** The SHA-256 of the files that belong to the template, as they were written. */
  readonly files: Readonly<Record<string, string>>;
}

/** Describes the files of the template. Those of the user's code are not in it: an update never changes them. */
export function recordOf(choices: Choices, files: Files, version: string): TemplateRecord {
  const owned = [...files].filter(([path]) => isOwned(path));
  const hashes = owned.map(([path, text]) => [path, hashOf(text)] as const);
  const { name, group, kind, plural, variant } = choices;
  return {
    version,
    choices: { name, group, kind, plural, variant },
    files: Object.fromEntries(hashes),
  };
}

/** True for a file around the code, such as the Dockerfile. `package.json` has its own update. */
export function isOwned(path: string): boolean {
  if (path === 'src/main.ts') return true;
  return !/^(?:src|config)\/|^(?:README\.md|package\.json|\.create-keelson\.json)$/.test(path);
}

export function printRecord(record: TemplateRecord): string {
  return `${JSON.stringify(record, null, 2)}\n`;
}

/** The ends of lines do not count, because Git may change them. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex');
}

/** Reads the record of a project. Throws `RECORD_INVALID`. */
export async function readRecord(folder: string): Promise<TemplateRecord> {
  const file = join(folder, RECORD_FILE);
  try {
    const record = JSON.parse(await readFile(file, 'utf8')) as TemplateRecord;
    checkChoices(record.choices);
    if (Object.entries<unknown>(record.files).every(isFile)) return record;
    throw new TypeError('files must have paths in the project and hashes');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CreateError('RECORD_INVALID', { file, reason }, { cause });
  }
}

/** An update reads and writes these paths: they must be in the project. */
function isFile([path, hash]: [string, unknown]): boolean {
  return typeof hash === 'string' && !path.split(/[\\/]/).includes('..') && !isAbsolute(path);
}
